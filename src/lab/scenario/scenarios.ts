/** All worked cases of the guides. */
import { CAR } from "./car.ts";
import { CATALOGUE } from "./catalogue.ts";
import { DOCUMENTS } from "./documents.ts";
import { FEED } from "./feed.ts";
import { FOOD } from "./food.ts";
import { ORDERS } from "./orders.ts";
import { PROVIDERS } from "./providers.ts";
import type { Scenario } from "./scenario.ts";
import { SENSORS } from "./sensors.ts";
import { SHOP } from "./shop.ts";
import { SMART_CITY } from "./smartCity.ts";
import { SOCIAL } from "./social.ts";
import { TENANTS } from "./tenants.ts";

export const scenarios: readonly Scenario[] = [
  ORDERS,
  CAR,
  TENANTS,
  SOCIAL,
  SENSORS,
  DOCUMENTS,
  CATALOGUE,
  SMART_CITY,
  FEED,
  FOOD,
  SHOP,
  PROVIDERS,
];
