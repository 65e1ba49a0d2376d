/**
 * Workloads to begin with: one that explains every member, and filled ones for the most common
 * applications. Each asks what the guides' workload sheet asks: the size of an item, writes and
 * reads per second, the volume, the most frequent queries, and what has to change together.
 *
 * The tests read all templates, so none can fall behind the format.
 */
import { BLANK_TEMPLATE } from "./blankTemplate.ts";

interface WorkloadTemplate {
  readonly name: string;
  readonly title: string;
  /** The workload as YAML. */
  readonly text: string;
}

const ORDERS = `\
# A web shop: orders with their lines, read by customers, changed until they are delivered.
name: web-shop-orders
title: Web shop orders

item:
  bytes: 2 KB
  example:
    id: "order-000123"
    customerId: cust-00042
    status: shipped
    orderedAt: "2026-05-01T10:00:00Z"
    lines: [{sku: sku-017, quantity: 2, price: 12.5}]
    total: 25

properties:
  /customerId: {distinct: 2 million, items: {kind: zipf, s: 0.6}}
  /status: {distinct: 5, changes: true, items: {kind: shares, shares: {delivered: 95 %}}}
  /orderedAt: {time: second}

growth: {itemsPerDay: 250000, retentionDays: 3 years, perMonth: 0.02, peakFactor: 4}

operations:
  - {id: place, kind: create, rate: 250000/day}
  - id: change-status
    kind: patch
    rate: 1 million/day
    changes: [/status]
    ageDays: 2
    transactionScope: [/customerId]
  - {id: show, kind: pointRead, rate: 60, ageDays: 10}
  - id: my-orders
    kind: query
    rate: 25
    sql: SELECT TOP 20 * FROM c WHERE c.customerId = @customer ORDER BY c.orderedAt DESC
    resultItems: 8
  - id: to-ship
    kind: query
    rate: 6/min
    sql: SELECT * FROM c WHERE c.status = 'paid' AND c.orderedAt >= @from
    params: {"@from": now - 3 days}
    resultItems: 500

candidates: [/customerId, /id, /status]
`;

const IOT = `\
# Devices that send a reading each minute; dashboards look at one device, jobs at all of them.
name: iot-readings
title: Readings of devices

item:
  bytes: 500
  example:
    id: "reading-1"
    deviceId: dev-00417
    site: site-12
    ts: "2026-05-01T10:00:00Z"
    temperature: 21.5

properties:
  /deviceId: {distinct: 50000, within: /site}
  /site: {distinct: 300, items: {kind: zipf, s: 0.7}}
  /ts: {time: second}

growth: {itemsPerDay: 72 million, retentionDays: 13 months, peakFactor: 1.2}

operations:
  - {id: ingest, kind: create, rate: 72 million/day}
  - id: latest
    kind: query
    rate: 50
    sql: SELECT TOP 1 * FROM c WHERE c.deviceId = @device ORDER BY c.ts DESC
    ageDays: 0
    resultItems: 1
  - id: last-day
    kind: query
    rate: 20
    sql: SELECT * FROM c WHERE c.deviceId = @device AND c.ts >= @from
    params: {"@from": now - 1 day}
    resultItems: 1440
  - id: site-hour
    kind: query
    rate: 30/min
    sql: >-
      SELECT c.deviceId, AVG(c.temperature) AS mean FROM c
      WHERE c.site = @site AND c.ts >= @from GROUP BY c.deviceId
    params: {"@from": now - 1 hour}

candidates: [/deviceId, "concat(/deviceId, '-', month(/ts))", day(/ts)]
`;

const TENANTS = `\
# One container for all customers of a service; a few of them are large.
name: multi-tenant
title: Documents of many tenants

item:
  bytes: 3 KB
  example:
    id: "doc-1"
    tenantId: t-0001
    userId: u-000001
    type: invoice
    updatedAt: "2026-05-01T10:00:00Z"

properties:
  /tenantId:
    distinct: 800
    items: {kind: classes, classes: [{values: 99 %, weight: 1}, {values: 1 %, weight: 150}]}
    requests: {kind: zipf, s: 1}
  /userId: {distinct: 120000, within: /tenantId}
  /type: {distinct: 12, items: {kind: zipf, s: 1}}
  /updatedAt: {changes: true, time: none}

growth: {itemsPerDay: 400000, initialItems: 60 million, perMonth: 0.05, peakFactor: 3}

operations:
  - {id: add, kind: create, rate: 400000/day}
  - id: save
    kind: replace
    rate: 30
    changes: [/updatedAt]
    transactionScope: [/tenantId, /userId]
    ageDays: 5
  - {id: open, kind: pointRead, rate: 200}
  - id: of-user
    kind: query
    rate: 80
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.tenantId = @tenant AND c.userId = @user
      ORDER BY c.updatedAt DESC
    resultItems: 30
  - id: of-tenant-by-type
    kind: query
    rate: 2
    sql: SELECT c.type, COUNT(1) AS n FROM c WHERE c.tenantId = @tenant GROUP BY c.type

candidates: [/tenantId, [/tenantId, /userId], /userId]
`;

const FEED = `\
# Articles from many sources; readers see the newest first and seldom look back.
name: content-feed
title: Content feed

item:
  bytes: 4 KB
  example:
    id: "a-1"
    sourceId: src-007
    publishedAt: "2026-05-01T10:00:00Z"
    heading: A heading
    body: The text

properties:
  /sourceId: {distinct: 400, items: {kind: zipf, s: 1}}
  /publishedAt: {time: second}

growth: {itemsPerDay: 90000, retentionDays: 2 years, peakFactor: 5}
throughput: {mode: autoscale, ratePerSecond: 4000}

operations:
  - {id: store, kind: upsert, rate: 90000/day}
  - id: newest
    kind: query
    rate: 4
    sql: SELECT TOP 50 * FROM c WHERE c.publishedAt >= @from ORDER BY c.publishedAt DESC
    params: {"@from": now - 7 days}
    resultItems: 50
  - id: newest-of-source
    kind: query
    rate: 2
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.sourceId = @source AND c.publishedAt >= @from
      ORDER BY c.publishedAt DESC
    params: {"@from": now - 30 days}
    resultItems: 50
  - id: search
    kind: query
    rate: 12/min
    sql: SELECT * FROM c WHERE CONTAINS(c.heading, @words, true) AND c.publishedAt >= @from
    params: {"@from": now - 3 months}
    resultItems: 20

candidates: [month(/publishedAt), "concat(/sourceId, '_', month(/publishedAt))", /sourceId, /id]
`;

export const workloadTemplates: readonly WorkloadTemplate[] = [
  { name: "blank", title: "Every member of the form, explained", text: BLANK_TEMPLATE },
  { name: "orders", title: "Web shop orders", text: ORDERS },
  { name: "iot", title: "Readings of devices", text: IOT },
  { name: "tenants", title: "Documents of many tenants", text: TENANTS },
  { name: "feed", title: "Content feed, newest first", text: FEED },
];
