/** The template that explains itself: every member of a workload, with its unit and default. */
export const BLANK_TEMPLATE: string = `\
# A workload for \`orrery lab\`: what a container has to hold and to answer.
# Replace the numbers and delete what does not apply. Only \`operations\` must be there.
# \`orrery lab workload check FILE\` says what was understood.

name: my-container
title: What it is for, in one line

# ---- 1. One item --------------------------------------------------------------
item:
  # JSON text, without system properties: a number of bytes, or a size such as 4 KB.
  bytes: 1 KB
  # A typical one. Paths that keys and queries use are looked up in it.
  example:
    id: "0001"
    tenantId: contoso
    status: open
    createdAt: "2026-05-01T10:00:00Z"

# What is known of values, by path. Without this section, from a profile of your data
# (\`orrery lab profile\`).
properties:
  /tenantId:
    # How many values there are: a number, or \`unique\`.
    distinct: 200
    # How items are divided among them: uniform (the default), {kind: zipf, s: 0.8},
    # {kind: shares, shares: {contoso: 0.4}}, or
    # {kind: classes, classes: [{values: 99 %, weight: 1}, {values: 1 %, weight: 40}]}.
    items: {kind: zipf, s: 0.8}
    # How requests are, where that differs.
    requests: {kind: shares, shares: {contoso: 30 %}}
  /status:
    distinct: 4
    # Updates change it, so it cannot be a key.
    changes: true
    # Share of the items that have none.
    missingShare: 0
  /createdAt:
    # The time of writing, to the second, minute, hour, day, week, month, quarter or year.
    time: second

# ---- 2. Volume ----------------------------------------------------------------
growth:
  # Items that come each day. Default: the rates of creates, times 86,400.
  itemsPerDay: 432000
  # Items there are already.
  initialItems: 0
  # How long they are kept: days, or a text such as 13 months. Default: for ever.
  retentionDays: 1 year
  # By how much more each month: 0.05 is 5 %.
  perMonth: 0
  # The busiest time over the mean.
  peakFactor: 2
  # Instead, or besides: 24 weights, hour by hour, UTC.
  # hours: [1, 1, 1, 1, 1, 2, 4, 6, 9, 9, 8, 8, 7, 8, 8, 8, 7, 6, 5, 4, 3, 2, 1, 1]

# What is provisioned: manual, autoscale (its maximum) or serverless. Default: as much as is needed.
# throughput: {mode: autoscale, ratePerSecond: 4000}
# strong, boundedStaleness, session (the default), consistentPrefix, eventual.
consistency: session

# ---- 3. Writes, reads and the most frequent queries ---------------------------
# Rates are means over the day: a number per second, or a text such as 300/min or 2 million/day.
operations:
  - id: write
    kind: create # create, upsert, replace, patch, delete, pointRead, query
    rate: 5
    # What one costs, if you have measured it. Default: worked out from the price list.
    # ru: 7.2
    # Its own peak, where it differs.
    # peakFactor: 5

  - id: close
    kind: patch
    rate: 2/s
    changes: [/status]
    # Items that one transaction changes together have the same values here.
    transactionScope: [/tenantId]
    # How old what is asked for is, in days. Default: all ages alike.
    ageDays: 3

  - id: read
    kind: pointRead
    rate: 20
    # What the caller has besides the id. Default: whatever the key needs.
    # knows: [/tenantId]

  - id: recent-of-tenant
    kind: query
    rate: 8
    sql: >-
      SELECT TOP 20 * FROM c WHERE c.tenantId = @tenant AND c.createdAt >= @from
      ORDER BY c.createdAt DESC
    params:
      # Distributed like the values of a path: the default, by the path it is compared with.
      "@tenant": {like: /tenantId}
      # A time before now; {agoDays: 7} says the same.
      "@from": now - 7 days
    # Rows of one answer. Default: worked out from the filter.
    resultItems: 20
    pageSize: 100

  - id: open-everywhere
    kind: query
    rate: 2/min
    sql: SELECT VALUE COUNT(1) FROM c WHERE c.status = 'open'

# ---- 4. Keys you have in mind -------------------------------------------------
# The lab finds others by itself.
candidates:
  - /tenantId
  - {id: tenant-month, key: "concat(/tenantId, '-', month(/createdAt))"}
  - {id: hierarchical, key: [/tenantId, /id]}

# How far to look. Default: 24, or as long as items are kept.
horizonMonths: 24
`;
