//! `SeverityNumber`: how bad what a log record tells is.

/// How bad what a log record tells is: four steps for each of six names. Any number is kept.
///
/// ```
/// use borrowire::otlp::logs::SeverityNumber;
///
/// assert!(SeverityNumber::INFO < SeverityNumber::ERROR);
/// assert_eq!(SeverityNumber(10).name(), Some("SEVERITY_NUMBER_INFO2"));
/// assert_eq!(SeverityNumber(77).name(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeverityNumber(pub i32);

/// Names of the schema, by number.
const NAMES: [&str; 25] = [
    "SEVERITY_NUMBER_UNSPECIFIED",
    "SEVERITY_NUMBER_TRACE",
    "SEVERITY_NUMBER_TRACE2",
    "SEVERITY_NUMBER_TRACE3",
    "SEVERITY_NUMBER_TRACE4",
    "SEVERITY_NUMBER_DEBUG",
    "SEVERITY_NUMBER_DEBUG2",
    "SEVERITY_NUMBER_DEBUG3",
    "SEVERITY_NUMBER_DEBUG4",
    "SEVERITY_NUMBER_INFO",
    "SEVERITY_NUMBER_INFO2",
    "SEVERITY_NUMBER_INFO3",
    "SEVERITY_NUMBER_INFO4",
    "SEVERITY_NUMBER_WARN",
    "SEVERITY_NUMBER_WARN2",
    "SEVERITY_NUMBER_WARN3",
    "SEVERITY_NUMBER_WARN4",
    "SEVERITY_NUMBER_ERROR",
    "SEVERITY_NUMBER_ERROR2",
    "SEVERITY_NUMBER_ERROR3",
    "SEVERITY_NUMBER_ERROR4",
    "SEVERITY_NUMBER_FATAL",
    "SEVERITY_NUMBER_FATAL2",
    "SEVERITY_NUMBER_FATAL3",
    "SEVERITY_NUMBER_FATAL4",
];

impl SeverityNumber {
    /// Not said.
    pub const UNSPECIFIED: Self = Self(0);
    /// The first step of `TRACE`; 2 to 4 are the others.
    pub const TRACE: Self = Self(1);
    /// The first step of `DEBUG`; 6 to 8 are the others.
    pub const DEBUG: Self = Self(5);
    /// The first step of `INFO`; 10 to 12 are the others.
    pub const INFO: Self = Self(9);
    /// The first step of `WARN`; 14 to 16 are the others.
    pub const WARN: Self = Self(13);
    /// The first step of `ERROR`; 18 to 20 are the others.
    pub const ERROR: Self = Self(17);
    /// The first step of `FATAL`; 22 to 24 are the others.
    pub const FATAL: Self = Self(21);

    /// The name in the schema; `None` for a number that has none.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        NAMES.get(usize::try_from(self.0).ok()?).copied()
    }

    /// The number of a name in the schema.
    ///
    /// ```
    /// use borrowire::otlp::logs::SeverityNumber;
    ///
    /// assert_eq!(SeverityNumber::from_name("SEVERITY_NUMBER_WARN"), Some(SeverityNumber::WARN));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let position = NAMES.iter().position(|&known| known == name)?;
        i32::try_from(position).ok().map(Self)
    }
}
