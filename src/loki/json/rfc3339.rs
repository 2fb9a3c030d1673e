//! Times as text, such as `2026-11-30T11:51:35.279454+01:00`: RFC 3339, as Go reads it.

use crate::loki::Timestamp;

/// The time in `text`. Digits beyond the nanoseconds are cut off; there is no second 60.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (date_time, mut rest) = text.as_bytes().split_first_chunk::<19>()?;
    let [date @ .., b'T' | b't', h1, h2, b':', m1, m2, b':', s1, s2] = date_time else {
        return None;
    };
    let days = days(date)?;
    let hour = two_digits(*h1, *h2).filter(|&hour| hour < 24)?;
    let minute = two_digits(*m1, *m2).filter(|&minute| minute < 60)?;
    let second = two_digits(*s1, *s2).filter(|&second| second < 60)?;
    let nanos = match rest {
        [b'.', digits @ ..] => {
            let len = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
            let (fraction, behind) = digits.split_at_checked(len)?;
            rest = behind;
            nanos(fraction)?
        }
        _ => 0,
    };
    let offset = match *rest {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let hours = two_digits(h1, h2).filter(|&hours| hours < 24)?;
            let minutes = two_digits(m1, m2).filter(|&minutes| minutes < 60)?;
            let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
            let seconds = minutes.checked_mul(60)?;
            if sign == b'+' { seconds } else { seconds.checked_neg()? }
        }
        _ => return None,
    };
    let of_day = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?;
    let seconds = days.checked_mul(86_400)?.checked_add(of_day)?.checked_add(second)?;
    let timestamp = Timestamp::new(seconds.checked_sub(offset)?, nanos);
    timestamp.is_valid().then_some(timestamp)
}

/// The number of two digits.
fn two_digits(tens: u8, ones: u8) -> Option<i64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i64::from(byte & 0x0f));
    digit(tens)?.checked_mul(10)?.checked_add(digit(ones)?)
}

/// The nanoseconds of a fraction's digits, of which there is at least one.
fn nanos(digits: &[u8]) -> Option<i32> {
    digits.first()?;
    let nine = digits.iter().copied().chain(core::iter::repeat(b'0')).take(9);
    nine.map(|digit| i32::from(digit & 0x0f))
        .try_fold(0_i32, |nanos, digit| nanos.checked_mul(10)?.checked_add(digit))
}

/// Days from 1970-01-01 to a date such as `2026-11-30`.
fn days(date: &[u8; 10]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else {
        return None;
    };
    let year = two_digits(y1, y2)?.checked_mul(100)?.checked_add(two_digits(y3, y4)?)?;
    let (month, day) = (two_digits(m1, m2)?, two_digits(d1, d2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    // The days before the month in a year that is not a leap year, and the month's own.
    let (before, len) = match month {
        1 => (0, 31),
        2 => (31, if is_leap { 29 } else { 28 }),
        3 => (59, 31),
        4 => (90, 30),
        5 => (120, 31),
        6 => (151, 30),
        7 => (181, 31),
        8 => (212, 31),
        9 => (243, 30),
        10 => (273, 31),
        11 => (304, 30),
        12 => (334, 31),
        _ => return None,
    };
    if year < 1 || day < 1 || day > len {
        return None;
    }
    let past = year.checked_sub(1)?;
    let leap_days = (past / 4).checked_sub(past / 100)?.checked_add(past / 400)?;
    let leap_day = i64::from(is_leap && month > 2);
    let before_year = past.checked_mul(365)?.checked_add(leap_days)?;
    let in_year = i64::from(before).checked_add(leap_day)?.checked_add(day)?;
    // 1970-01-01 is day 719,163, counted from 0001-01-01 as day 1.
    before_year.checked_add(in_year)?.checked_sub(719_163)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_gos_standard_library_reads_them() {
        for (text, seconds, nanos) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
            ("2026-11-30T11:51:35.279454+00:00", 1_796_039_495, 279_454_000),
            ("2018-12-18T08:28:06.801064-04:00", 1_545_136_086, 801_064_000),
            ("2000-02-29T23:59:59-23:59", 951_955_139, 0),
            ("2024-03-01T00:00:00Z", 1_709_251_200, 0),
            ("2024-12-31T00:00:00+05:30", 1_735_583_400, 0),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59.9999999999Z", 253_402_300_799, 999_999_999),
            ("2001-09-09T01:46:40.000000001Z", 1_000_000_000, 1),
            ("2001-09-09t01:46:40.5z", 1_000_000_000, 500_000_000),
        ] {
            assert_eq!(parse(text), Some(Timestamp::new(seconds, nanos)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "0",
            "2026-11-30",
            "2026-11-30T11:51:35",
            "2026-11-30 11:51:35Z",
            "2026-11-30T11:51:35.Z",
            "2026-11-30T11:51:35,5Z",
            "2026-11-30T11:51:35+0100",
            "2026-11-30T11:51:35+01:0",
            "2026-11-30T11:51:35+24:00",
            "2026-11-30T11:51:35+01:60",
            "2026-11-30T11:51:35Zz",
            "2026-11-30T11:51:60Z",
            "2026-11-30T11:60:35Z",
            "2026-11-30T24:00:00Z",
            "2026-11-31T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-00-10T00:00:00Z",
            "2026-13-10T00:00:00Z",
            "2026-12-00T00:00:00Z",
            "0000-12-01T00:00:00Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "+026-11-30T11:51:35Z",
            "2026-1١-30T11:51:35Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
