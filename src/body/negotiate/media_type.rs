//! Media types as RFC 9110, section 8.3.1, writes them.
//!
//! ```text
//! media-type    = token "/" token *( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )
//! quoted-string = DQUOTE *( any text but DQUOTE and "\" / "\" any text ) DQUOTE
//! ```

/// The value of a `Content-Type`, all of it well-formed.
pub(super) struct MediaType<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// The parameter `proto`, with which remote write names its message.
    pub(super) proto: Option<ParameterValue<'a>>,
}

impl<'a> MediaType<'a> {
    /// `None` if `header`, which has no white space at its ends, is malformed, or has two `proto`:
    /// receivers that take the first and receivers that take the last would see different messages.
    pub(super) fn parse(header: &'a str) -> Option<Self> {
        let (kind, rest) = split_token(header)?;
        let (subtype, mut rest) = split_token(rest.strip_prefix('/')?)?;
        let mut proto = None;
        while !rest.is_empty() {
            rest = trim_start(trim_start(rest).strip_prefix(';')?);
            if rest.is_empty() || rest.starts_with(';') {
                continue;
            }
            let (name, after_name) = split_token(rest)?;
            let value;
            (value, rest) = split_value(after_name.strip_prefix('=')?)?;
            if name.eq_ignore_ascii_case("proto") && proto.replace(value).is_some() {
                return None;
            }
        }
        Some(Self { kind, subtype, proto })
    }

    pub(super) fn is_protobuf(&self) -> bool {
        self.is_application("x-protobuf")
    }

    pub(super) fn is_json(&self) -> bool {
        self.is_application("json")
    }

    fn is_application(&self, subtype: &str) -> bool {
        self.kind.eq_ignore_ascii_case("application") && self.subtype.eq_ignore_ascii_case(subtype)
    }
}

/// A parameter's value: a token, or the inside of a quoted string, escapes and all.
#[derive(Clone, Copy)]
pub(super) struct ParameterValue<'a>(&'a str);

impl ParameterValue<'_> {
    /// Whether the value, without its escapes, is `expected`.
    pub(super) fn is(&self, expected: &str) -> bool {
        // A token has no backslash, so that both forms can be read alike.
        let mut chars = self.0.chars();
        let unescaped = core::iter::from_fn(|| match chars.next()? {
            '\\' => chars.next(),
            char => Some(char),
        });
        unescaped.eq(expected.chars())
    }
}

fn split_value(text: &str) -> Option<(ParameterValue<'_>, &str)> {
    let (value, rest) = match text.strip_prefix('"') {
        Some(text) => split_quoted(text)?,
        None => split_token(text)?,
    };
    Some((ParameterValue(value), rest))
}

/// Splits `text`, which begins behind the opening quote, at the closing one.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (index, char) in text.char_indices() {
        match char {
            '\t' => escaped = false,
            _ if char.is_ascii_control() => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                let (value, rest) = text.split_at_checked(index)?;
                return Some((value, rest.strip_prefix('"')?));
            }
            _ => {}
        }
    }
    None
}

fn split_token(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|char| !is_token_char(char)).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(token, _)| !token.is_empty())
}

fn is_token_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char)
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_the_rfc_allows() {
        for header in [
            "application/x-protobuf;proto=a.B",
            "Application/X-PROTOBUF;PROTO=a.B",
            "application/x-protobuf; proto=a.B",
            "application/x-protobuf \t;\t proto=a.B",
            "application/x-protobuf;proto=\"a.B\"",
            "application/x-protobuf;proto=\"\\a\\.B\"",
            "application/x-protobuf; charset=utf-8; proto=a.B; version=\"1;proto=\\\"c\"",
            "application/x-protobuf;; ;proto=a.B;",
            "application/x-protobuf; x=\"\u{e9} \t\\\t\"; proto=a.B",
        ] {
            let media_type = MediaType::parse(header).expect(header);
            assert!(media_type.is_protobuf() && !media_type.is_json(), "{header}");
            assert!(media_type.proto.is_some_and(|proto| proto.is("a.B")), "{header}");
        }
        let json = MediaType::parse("application/json;charset=\"utf-8\"").unwrap();
        assert!(json.is_json() && json.proto.is_none());
    }

    #[test]
    fn values_are_compared_whole_and_exactly() {
        for header in ["a/b;proto=A.B", "a/b;proto=a.Bc", "a/b;proto=a", "a/b;proto=\"\""] {
            assert!(!MediaType::parse(header).unwrap().proto.unwrap().is("a.B"), "{header}");
        }
    }

    #[test]
    fn forms_that_the_rfc_does_not_allow() {
        for header in [
            "",
            "/",
            "application",
            "application/",
            "/json",
            "application /json",
            "application/json/x",
            "application/json, application/json",
            "application/json charset=utf-8",
            "application/json;charset",
            "application/json;charset=",
            "application/json;=utf-8",
            "application/json;charset =utf-8",
            "application/json;charset= utf-8",
            "application/json;charset=utf 8",
            "application/json;charset=\"utf-8",
            "application/json;charset=\"utf-8\\",
            "application/json;charset=\"utf-8\\\"",
            "application/json;charset=\"utf\n8\"",
            "application/json;charset=\"utf\\\n8\"",
            "application/json;charset=\"utf-8\"x",
            "application/json;charset=\u{e9}",
            "application/x-protobuf;proto=a;proto=a",
        ] {
            assert!(MediaType::parse(header).is_none(), "{header}");
        }
    }
}
