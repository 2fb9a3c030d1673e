//! A push together with its body, for handing to another task.

use super::push_request::PushRequest;

crate::reuse::impl_owned! {
    /// A decoded push that owns its body: `Send + 'static`.
    OwnedPushRequest, PushRequest
}
