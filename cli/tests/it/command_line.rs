//! Help, completion, and what is said about wrong arguments.

use crate::support::program::run;

#[test]
fn help_names_every_subcommand() {
    let help = run(&["--help"], b"");
    assert_eq!((help.status, help.errors.as_str()), (0, ""));
    for name in ["demo", "inspect", "convert", "serve", "send", "records", "ring", "completions"] {
        assert!(help.output.lines().any(|line| line.trim_start().starts_with(name)), "{name}");
        let help = run(&[name, "--help"], b"");
        assert_eq!((help.status, help.errors.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn a_typing_error_gets_a_suggestion() {
    for (arguments, suggestion) in [
        (&["inspct"][..], "inspect"),
        (&["inspect", "--mesage", "loki-push", "-"], "--message"),
        (&["inspect", "--message", "remote-write-1", "-"], "remote-write-v1"),
    ] {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{arguments:?}");
        let tip = outcome.errors.lines().find(|line| line.contains("tip:"));
        assert!(tip.is_some_and(|tip| tip.contains(suggestion)), "{}", outcome.errors);
    }
}

#[test]
fn shells_get_completion() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = run(&["completions", shell], b"");
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{shell}");
        assert!(outcome.output.contains("remote-write-v1"), "{shell}");
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for line in [
        "serve --out dir",
        "serve --shards 4",
        "serve --fsync",
        "serve --out dir --shards 0",
        "serve --out dir --shards 4097",
        "serve --seconds 0",
        "serve extra",
        "serve --max-connections 0",
        "serve --max-body-bytes many",
        "serve --head-timeout 0",
        "send",
        "send http://127.0.0.1:9009 --senders 0",
        "send http://127.0.0.1:9009 --seconds 0",
        "send http://127.0.0.1:9009 --rate 0",
        "send http://127.0.0.1:9009 --protocol loki",
        "send http://127.0.0.1:9009 --captured file",
        "send http://127.0.0.1:9009 --header a\u{7f}b:c",
        "demo --all file",
        "demo --message loki-push",
        "demo --message loki file",
        "demo --log loud",
    ] {
        let arguments: Vec<_> = line.split(' ').collect();
        let outcome = run(&arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{line}");
        assert!(outcome.errors.starts_with("error: "), "{line}: {}", outcome.errors);
    }
}
