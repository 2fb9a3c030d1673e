//! What holds for every protocol, written once. A test for each property and each protocol is made in
//! `subjects`.

pub mod differential;
pub mod fixtures;
pub mod hostile;
pub mod limits;
pub mod reuse;
pub mod split;
pub mod ways;

use proptest::prelude::*;

use crate::support::oracle::{Options, Request, Subject, Used, check};

/// What a protocol is tested with.
pub trait Tested: Subject {
    /// What its captured requests are called, and how many of which sets there are.
    const FIXTURES: (&'static str, &'static [(&'static str, usize)]);

    /// Whether something in front of a record may be read after it: then caps are met in another order.
    const READS_AHEAD: bool = false;

    /// Bodies that together use every message and every field, in the shapes clients send and some that
    /// they do not.
    fn small_bodies() -> Vec<(&'static str, Vec<u8>)>;

    /// Any request, every field filled with anything.
    fn generated() -> BoxedStrategy<Self::Generated>;

    /// The bytes that such a request must be encoded as.
    fn canonical(request: &Self::Generated) -> Vec<u8>;

    /// Fields in any order and any number, known and unknown: a request as no client would write it.
    fn disordered() -> BoxedStrategy<Vec<u8>>;

    /// Hundreds of thousands of something, of each kind that has no test of its own.
    fn floods() -> Vec<Vec<u8>>;

    /// More bodies that differ in how their elements are counted.
    fn bodies_of_elements() -> Vec<Vec<u8>>;

    /// How many elements a request holds, by what it shows.
    fn elements(request: &Request<'_, Self>) -> usize;

    /// The caps on records, by bodies that are made of them: so many of the first, then of the second ...
    fn caps() -> Vec<Vec<Cap<Self>>>;

    /// A record whose content is bad.
    fn bad_record() -> Cap<Self>;

    /// Bodies that fail in the middle of something, besides those that are cut.
    fn failing() -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Whether the content of a body that was cut may fail so.
    fn is_cut(kind: borrowire::DecodeErrorKind) -> bool {
        kind == borrowire::DecodeErrorKind::Truncated
    }

    /// Checks everything against rules, which must not take longer the more there is.
    fn validate(request: &Request<'_, Self>);

    /// The content in the form of golden files.
    fn to_json(request: &Request<'_, Self>) -> String;

    /// How many there are of what golden files count.
    fn counts(request: &Request<'_, Self>) -> Vec<(&'static str, usize)>;

    /// Whether an encoding is as good as what a client sent.
    fn is_same_encoding(written: &[u8], sent: &[u8]) -> bool {
        written == sent
    }

    /// What stands in front of all records.
    fn head(_: &Request<'_, Self>) -> Vec<u8> {
        Vec::new()
    }
}

/// A record, and how to say how many of it there may be.
pub struct Cap<S: Subject> {
    pub record: Vec<u8>,
    pub with_max: fn(Options<S>, usize) -> Options<S>,
}

/// Enough that every field has had every kind of value: each case is a request of many. Fuzz targets go
/// on from there, with the same checks.
fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(100)
}

/// Memory that something of everything has gone through.
fn used<S: Tested>() -> Used<S> {
    let mut used = Used::default();
    for (name, body) in S::small_bodies() {
        check(&body, &mut used).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    used
}

/// One of the small bodies.
fn small_body<S: Tested>() -> impl Strategy<Value = Vec<u8>> {
    let bodies: Vec<_> = S::small_bodies().into_iter().map(|(_, body)| body).collect();
    prop::sample::select(bodies)
}

/// Makes a test of each property of a subject.
macro_rules! test_every_property {
    ($subject:ident) => {
        $crate::properties::test_properties! { $subject:
            differential {
                canonical_bytes_are_read_and_written_back
                changed_bytes_are_refused_or_read_as_prost_does
                conversions_keep_everything
                disordered_fields_are_read_as_prost_reads_them
                most_disordered_bodies_are_good
                what_prost_writes_is_read_as_it_was
            }
            fixtures {
                all_sets_are_there
                decoded_contents_are_golden
                encoded_again_contents_are_the_same
                raw_records_make_up_the_request
                reused_storage_reads_the_same
            }
            hostile {
                a_body_of_two_gib_is_refused_unread
                bodies_cut_at_every_byte
                bodies_with_a_huge_number_anywhere
                bodies_with_any_bit_flipped
                floods
            }
            limits {
                elements_up_to_the_cap_and_not_one_more
                records_and_bytes_up_to_the_cap_and_not_one_more
                what_is_left_out_counts_all_the_same
            }
            reuse {
                a_request_that_failed_is_empty
                nothing_of_a_request_that_failed_is_left
                options_of_one_body_are_for_it_alone
                owned_and_pooled_requests_are_the_same
            }
            split {
                any_request_is_split_as_it_should
                small_bodies_are_split_as_they_should
            }
            ways {
                a_visitor_meets_the_faults_that_a_decoder_meets
                a_visitor_sees_every_record_alone
                text_that_is_none_is_made_whole
            }
        }
    };
}
pub(crate) use test_every_property;

macro_rules! test_properties {
    ($subject:ident: $($property:ident { $($name:ident)* })*) => {$(
        mod $property {
            $(
                #[test]
                fn $name() {
                    $crate::properties::$property::$name::<super::$subject>();
                }
            )*
        }
    )*};
}
pub(crate) use test_properties;
