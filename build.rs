//! Generates prost types from `proto/` when the feature `prost` is on, and does nothing otherwise.
//!
//! The compiler is protox, so no `protoc` has to be installed.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "prost")]
    generate::all();
}

#[cfg(feature = "prost")]
mod generate {
    use std::path::PathBuf;
    use std::{env, fs};

    use protox::prost_reflect::prost_types::FileDescriptorSet;
    use protox::prost_reflect::prost_types::field_descriptor_proto::Type;

    /// A schema of `proto/`, and the directory of `OUT_DIR` that its types go to.
    ///
    /// Each has a directory of its own, because a file is named by its package, and Cortex and
    /// Mimir share one name.
    const SCHEMAS: [(&str, &str); 5] = [
        ("prometheus_v1.proto", "prometheus_v1"),
        ("prometheus_v2.proto", "prometheus_v2"),
        ("cortexpb.proto", "cortexpb"),
        ("mimirpb.proto", "mimirpb"),
        ("loki_push.proto", "loki_push"),
    ];

    /// The same, with every `string` made `bytes`: what prost does without copies and UTF-8 checks.
    /// Only the benchmarks include these.
    const WITHOUT_STRINGS: [(&str, &str); 3] = [
        ("prometheus_v1.proto", "prometheus_v1_bytes"),
        ("prometheus_v2.proto", "prometheus_v2_bytes"),
        ("loki_push.proto", "loki_push_bytes"),
    ];

    pub(crate) fn all() {
        println!("cargo::rerun-if-changed=proto");
        for (schema, directory) in SCHEMAS {
            write(compile(schema), directory, prost_build::Config::new());
        }
        for (schema, directory) in WITHOUT_STRINGS {
            let mut config = prost_build::Config::new();
            config.bytes(["."]);
            write(strings_to_bytes(compile(schema)), directory, config);
        }
    }

    fn compile(schema: &str) -> FileDescriptorSet {
        protox::compile([schema], ["proto"]).unwrap_or_else(|error| panic!("{schema}: {error}"))
    }

    fn write(descriptors: FileDescriptorSet, directory: &str, mut config: prost_build::Config) {
        let out_dir = env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo sets OUT_DIR");
        let directory = out_dir.join(directory);
        fs::create_dir_all(&directory).expect("OUT_DIR is writable");
        config.out_dir(directory);
        config.compile_fds(descriptors).expect("the schema compiled before");
    }

    fn strings_to_bytes(mut descriptors: FileDescriptorSet) -> FileDescriptorSet {
        let messages = descriptors.file.iter_mut().flat_map(|file| &mut file.message_type);
        for field in messages.flat_map(|message| &mut message.field) {
            if field.r#type() == Type::String {
                field.set_type(Type::Bytes);
            }
        }
        descriptors
    }
}
