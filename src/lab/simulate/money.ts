/**
 * What throughput and storage cost, in US dollars a month of 730 hours: list prices for one write
 * region, as the service's documentation quotes them.
 */
import { HOURS_PER_MONTH } from "../../base/units.ts";
import type { Limits, RateLimits } from "../../model/limits.ts";

const MANUAL_PER_RU_HOUR = 0.008 / 100;
const AUTOSCALE_PER_RU_HOUR = 0.012 / 100;
const SERVERLESS_PER_RU: number = 0.25 / 1e6;
const PER_GB_MONTH = 0.25;
const GIB: number = 1024 ** 3;
/** Index beside the data. Documented as 10 to 20 % for usual items. */
const INDEX_SHARE = 0.15;
/** Autoscale never falls below a tenth of its ceiling. */
const AUTOSCALE_FLOOR = 0.1;

export function storageCost(bytes: number): number {
  return (bytes / GIB) * (1 + INDEX_SHARE) * PER_GB_MONTH;
}

/** RU/s are sold in hundreds, and so much data asks for so many at least. */
export function manualCost(rate: number, gib: number, limits: Limits): number {
  return soldRate(rate, gib, limits.manualRate) * MANUAL_PER_RU_HOUR * HOURS_PER_MONTH;
}

/** Each hour is paid by its highest level; `hours` are the rates that each hour of a day needs. */
export function autoscaleCost(hours: readonly number[], gib: number, limits: Limits): number {
  const ceiling = soldRate(Math.max(...hours), gib, limits.autoscaleRate);
  const paid = hours.reduce((sum, rate) => sum + Math.max(rate, AUTOSCALE_FLOOR * ceiling), 0);
  return (paid / hours.length) * AUTOSCALE_PER_RU_HOUR * HOURS_PER_MONTH;
}

/** What has to be provisioned for a rate: no less than the data asks for, in whole steps. */
export function soldRate(
  rate: number,
  gib: number,
  { rateMin, rateStep, ratePerGb }: RateLimits,
): number {
  return Math.ceil(Math.max(rateMin, gib * ratePerGb, rate) / rateStep) * rateStep;
}

export function serverlessCost(ruPerMonth: number): number {
  return ruPerMonth * SERVERLESS_PER_RU;
}
