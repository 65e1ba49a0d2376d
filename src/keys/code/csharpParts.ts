/**
 * The methods that generated C# leans on, each with its own text and with those it calls. A part is
 * written out when the code, or another part that is, calls it.
 *
 * There is no C# compiler among the tests: known answers stand in the comments, and the test holds
 * those against the library.
 */

const PARTS: readonly (readonly [name: string, calls: string, code: string])[] = [
  [
    "Extended",
    "",
    `private static List<string[]> Extended(List<string[]> keys, IEnumerable<string> list)
{
    var values = list.Distinct().ToList();
    return keys.SelectMany(key => values.Select(value => key.Append(value).ToArray())).ToList();
}`,
  ],
  ["One", "", "private static IEnumerable<string> One(string text) => new[] { text };"],
  [
    "Numbers",
    "Number",
    `private static IEnumerable<string> Numbers(int first, int count) =>
    Enumerable.Range(first, count).Select(Number);`,
  ],
  [
    "Combined",
    "",
    `/// <summary>Every way to take one text of each list, one after the other.</summary>
private static IEnumerable<string> Combined(params IEnumerable<string>[] lists) =>
    lists.Aggregate((begun, list) => begun.SelectMany(text => list.Select(next => text + next)));`,
  ],
  [
    "Lowered",
    "",
    `private static IEnumerable<string> Lowered(IEnumerable<string> list) =>
    list.Select(text => text.ToLowerInvariant());`,
  ],
  [
    "Moments",
    "",
    `/// <summary>A moment of each piece of the span in which all periods stay the same.</summary>
private static IEnumerable<DateTimeOffset> Moments(
    DateTimeOffset from, DateTimeOffset to, params Func<DateTimeOffset, DateTimeOffset>[] nexts)
{
    var moment = from.ToUniversalTime();
    while (moment <= to)
    {
        yield return moment;
        var earliest = DateTimeOffset.MaxValue;
        foreach (var next in nexts)
        {
            var start = next(moment);
            if (start < earliest) earliest = start;
        }
        moment = earliest;
    }
}`,
  ],
  [
    "NextHour",
    "NextDay",
    `private static DateTimeOffset NextHour(DateTimeOffset time) =>
    NextDay(time).AddHours(time.UtcDateTime.Hour - 23);`,
  ],
  [
    "NextWeek",
    "NextDay",
    `private static DateTimeOffset NextWeek(DateTimeOffset time) =>
    NextDay(time).AddDays(6 - ((int)time.UtcDateTime.DayOfWeek + 6) % 7);`,
  ],
  [
    "NextDay",
    "",
    `private static DateTimeOffset NextDay(DateTimeOffset time) =>
    new DateTimeOffset(time.UtcDateTime.Date, TimeSpan.Zero).AddDays(1);`,
  ],
  ["NextMonth", "NextMonths", nextMonths("NextMonth", 1)],
  ["NextQuarter", "NextMonths", nextMonths("NextQuarter", 3)],
  ["NextYear", "NextMonths", nextMonths("NextYear", 12)],
  [
    "NextMonths",
    "",
    `private static DateTimeOffset NextMonths(DateTimeOffset time, int length)
{
    var date = time.UtcDateTime;
    var first = date.Month - (date.Month - 1) % length;
    return new DateTimeOffset(date.Year, first, 1, 0, 0, 0, TimeSpan.Zero).AddMonths(length);
}`,
  ],
  [
    "Time",
    "",
    `/// <summary>ISO 8601; UTC if it does not say.</summary>
private static DateTimeOffset Time(string text) =>
    DateTimeOffset.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);`,
  ],
  ["Hour", "", formatted("Hour", "yyyy-MM-dd'T'HH")],
  ["Day", "", formatted("Day", "yyyy-MM-dd")],
  [
    "Week",
    "",
    `/// <summary>
/// ISO 8601: from Monday on, in the year of its Thursday. 2018-12-31 is in 2019-W01, 2020-12-31
/// and 2021-01-01 are in 2020-W53.
/// </summary>
private static string Week(DateTimeOffset time)
{
    var date = time.UtcDateTime;
    return FormattableString.Invariant(
        $"{ISOWeek.GetYear(date):D4}-W{ISOWeek.GetWeekOfYear(date):D2}");
}`,
  ],
  ["Month", "", formatted("Month", "yyyy-MM")],
  [
    "Quarter",
    "",
    `private static string Quarter(DateTimeOffset time)
{
    var date = time.UtcDateTime;
    return FormattableString.Invariant($"{date.Year:D4}-Q{(date.Month + 2) / 3}");
}`,
  ],
  ["Year", "", formatted("Year", "yyyy")],
  [
    "Bucket",
    "StableHash Number",
    `private static string Bucket(string text, int count, int first) =>
    Number((int)(StableHash(text) % (uint)count) + first);`,
  ],
  [
    "StableHash",
    "",
    `/// <summary>
/// FNV-1a over UTF-8 with the final mix of murmur3; string.GetHashCode differs from run to run.
/// Never change it. "" is 2872998923, "42" is 686566589, "Z\\u00fcrich" is 2908468631.
/// </summary>
private static uint StableHash(string text)
{
    unchecked
    {
        var hash = 2166136261u;
        foreach (var value in Encoding.UTF8.GetBytes(text)) hash = (hash ^ value) * 16777619u;
        hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
        hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
        return hash ^ (hash >> 16);
    }
}`,
  ],
  [
    "Drawn",
    "Number",
    `private static string Drawn(int count, int first) =>
    Number(Random.Shared.Next(count) + first);`,
  ],
  [
    "Turn",
    "Number",
    `private static int turns = -1;

private static string Turn(int count, int first)
{
    var turn = unchecked((uint)Interlocked.Increment(ref turns));
    return Number((int)(turn % (uint)count) + first);
}`,
  ],
  [
    "Number",
    "",
    "private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);",
  ],
];

/** Words that a parameter can only be called with an @ before them. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  [
    "abstract as base bool break byte case catch char checked class const continue decimal default",
    "delegate do double else enum event explicit extern false finally fixed float for foreach goto",
    "if implicit in int interface internal is lock long namespace new null object operator out",
    "override params private protected public readonly ref return sbyte sealed short sizeof",
    "stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe",
    "ushort using virtual void volatile while",
  ].flatMap((line) => line.split(" ")),
);

/** The parts that the code calls, and those that they call in turn, in the order of the table. */
export function csharpParts(code: string): readonly string[] {
  const calls = code.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const used = new Set<string>();
  const use = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    const part = PARTS.find(([other]) => other === name);
    for (const called of part?.[1].split(" ") ?? []) use(called);
  };
  for (const [name] of PARTS) {
    if (new RegExp(`(?<![.\\w])${name}[(),]`).test(calls)) use(name);
  }
  return PARTS.filter(([name]) => used.has(name)).map(([, , part]) => part);
}

export function isMethod(name: string): boolean {
  return [...PARTS.map(([part]) => part), "KeyOf", "KeysToVisit"].includes(name);
}

function formatted(name: string, pattern: string): string {
  return `private static string ${name}(DateTimeOffset time) =>
    time.UtcDateTime.ToString("${pattern}", CultureInfo.InvariantCulture);`;
}

function nextMonths(name: string, length: number): string {
  const signature = `private static DateTimeOffset ${name}(DateTimeOffset time)`;
  return `${signature} => NextMonths(time, ${length});`;
}
