//! A request together with its body, for handing to another task.

use super::request::Request;

crate::reuse::impl_owned! {
    /// A decoded request that owns its body: `Send + 'static`.
    OwnedRequest, Request
}
