//! A request together with its body, for handing to another task.

use super::write_request::WriteRequest;

crate::reuse::impl_owned! {
    /// A decoded request that owns its body: `Send + 'static`.
    ///
    /// ```
    /// use borrowire::remote_write::v1::OwnedWriteRequest;
    ///
    /// let owned = OwnedWriteRequest::decode(vec![0x0a, 0x00])?;
    /// let series = std::thread::spawn(move || owned.request().timeseries().len()).join().unwrap();
    /// assert_eq!(series, 1);
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    OwnedWriteRequest, WriteRequest
}
