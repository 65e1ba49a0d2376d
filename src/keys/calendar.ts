/**
 * Days since 1970 to the Gregorian calendar and back, by arithmetic: keys are made for every item,
 * and objects for dates take several times as long. Years begin in March here, so that the day that
 * not every year has is the last.
 */

interface CalendarDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

const DAYS_OF_FOUR_CENTURIES = 146_097;
/** From 1 March of the year 0 to 1 January 1970. */
const DAYS_BEFORE_1970 = 719_468;

export function daysOf(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const monthsDays = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + leapDays + monthsDays + day - 1;
  return era * DAYS_OF_FOUR_CENTURIES + dayOfEra - DAYS_BEFORE_1970;
}

export function calendarDay(days: number): CalendarDay {
  const shifted = days + DAYS_BEFORE_1970;
  const era = Math.floor(shifted / DAYS_OF_FOUR_CENTURIES);
  const dayOfEra = shifted - era * DAYS_OF_FOUR_CENTURIES;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const leapDaysBefore = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - (365 * yearOfEra + leapDaysBefore);
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: era * 400 + yearOfEra + (month > 2 ? 0 : 1),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}
