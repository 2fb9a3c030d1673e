//! The cache over memcached: against a server that the test starts, and against one that misbehaves.
//!
//! `apt-get install memcached`; without it the first kind says so and passes.

#![cfg(target_pointer_width = "64")]

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{io, thread};

use borrowire::cache::key::{
    BlockId, KeyBatch, MatchOp, Matcher, Scope, distinct, escape_memcached, mimir,
};
use borrowire::cache::{BatchScratch, Cache, Memcached, MemcachedError, Values};
use borrowire::remote_write::Label;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// A server of memcached, stopped when it is dropped.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start() -> Option<Self> {
        loop {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = free.local_addr().unwrap();
            drop(free);
            let process = match Self::spawn(address) {
                Ok(process) => process,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    println!("SKIPPED: memcached is not installed (apt-get install memcached)");
                    return None;
                }
                Err(error) => panic!("cannot start memcached: {error}"),
            };
            let mut server = Self { process, address };
            if server.is_up() {
                return Some(server);
            }
        }
    }

    fn spawn(address: SocketAddr) -> io::Result<Child> {
        Command::new("memcached")
            .args([
                "-l",
                "127.0.0.1",
                "-p",
                &address.port().to_string(),
                "-u",
                "nobody",
                "-m",
                "256",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }

    /// Waits until the server answers; if not, another process has taken its port.
    fn is_up(&mut self) -> bool {
        while TcpStream::connect(self.address).is_err() {
            if self.process.try_wait().unwrap().is_some() {
                return false;
            }
            thread::sleep(Duration::from_millis(10));
        }
        true
    }

    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn cache(&self) -> Memcached {
        Memcached::new(self.address.to_string()).with_timeout(Duration::from_secs(20))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

#[tokio::test]
async fn values_come_back_as_they_were() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let (mut batch, mut found) = (BatchScratch::new(), Values::new());
    let any: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let entries: [(&str, &[u8]); 4] =
        [("a", b"value"), ("empty", b""), ("lines", b"END\r\nVALUE x 0 1\r\n"), ("any", &any)];
    cache.put_many(&entries, &mut batch).await.unwrap();
    let keys = ["empty", "absent", "any", "a", "lines", "a"];
    cache.get_many(&keys, &mut found).await.unwrap();
    let values: Vec<_> = found.iter().collect();
    let (lines, value) = (entries[2].1, &b"value"[..]);
    assert_eq!(values, [Some(&b""[..]), None, Some(&any), Some(value), Some(lines), Some(value)]);

    // Of entries with the same key the last one stays, and what is encoded is encoded.
    cache.put_many(&[("a", "first"), ("a", "second")], &mut batch).await.unwrap();
    let label = Label::new("job", "node");
    cache.put_many(&[("label", label)], &mut batch).await.unwrap();
    cache.get_many(&["a", "label"], &mut found).await.unwrap();
    assert_eq!(found.get(0), Some(&b"second"[..]));
    assert_eq!(found.get(1), Some(&b"\x0a\x03job\x12\x04node"[..]));
    cache.get_many::<[&str]>(&[], &mut found).await.unwrap();
    assert!(found.is_empty());
    cache.get_many(&["nothing", "here"], &mut found).await.unwrap();
    assert_eq!((found.len(), found.hits()), (2, 0));
}

#[tokio::test]
async fn a_large_batch_is_stored_and_found() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    // One key in three is escaped.
    let tenants = ["tenant", "a=b", "Müller"];
    let keys: Vec<String> = (0..20_000).map(|n| format!("S:{}:01HZ:{n}", tenants[n % 3])).collect();
    let value = |n: usize| [&b"v"[..], &n.to_le_bytes(), &[b'x'; 900]].concat();
    let entries: Vec<_> = (0..20_000).step_by(2).map(|n| (&*keys[n], value(n))).collect();
    cache.put_many(&entries, &mut BatchScratch::new()).await.unwrap();
    let mut found = Values::new();
    cache.get_many(&keys, &mut found).await.unwrap();
    assert_eq!(found.hits(), 10_000);
    for (n, found) in found.iter().enumerate() {
        assert_eq!(found.map(<[u8]>::to_vec), (n % 2 == 0).then(|| value(n)), "{n}");
    }
}

#[tokio::test]
async fn a_value_over_the_limit_is_refused_alone() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let large = vec![b'x'; (1 << 20) + 1];
    let mut entries: Vec<(String, &[u8])> = (0..1500).map(|n| (n.to_string(), &b"v"[..])).collect();
    entries[1200].1 = &large;
    let result = cache.put_many(&entries, &mut BatchScratch::new()).await;
    assert!(matches!(result, Err(MemcachedError::Refused { index: 1200 })), "{result:?}");
    let keys: Vec<&String> = entries.iter().map(|(key, _)| key).collect();
    let mut found = Values::new();
    cache.get_many(&keys, &mut found).await.unwrap();
    assert_eq!(found.missing().collect::<Vec<_>>(), [1200]);
}

#[tokio::test]
async fn a_value_of_two_mebibytes_is_refused_between_two_that_are_stored() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let (small, large) = (&b"v"[..], vec![b'x'; 2 << 20]);
    let entries = [("first", small), ("large", &large), ("last", small)];
    let result = cache.put_many(&entries, &mut BatchScratch::new()).await;
    assert!(matches!(result, Err(MemcachedError::Refused { index: 1 })), "{result:?}");
    let mut found = Values::new();
    cache.get_many(&["first", "large", "last"], &mut found).await.unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [Some(small), None, Some(small)]);
}

/// Keys with any bytes, each with a value of its own: some that clients of memcached cannot send or
/// read back, some that are the form in which others of them are sent.
fn any_keys() -> Vec<Vec<u8>> {
    let scope = |tenant| Scope::new(tenant, BlockId::new("00000000010000000000000000").unwrap());
    let matchers = [Matcher::new("job", MatchOp::Equal, "api")];
    let mut batch = KeyBatch::new();
    for name in ["job", "日本", "a label", "naïve", "job~"] {
        batch.push(&mimir::LabelValuesKey::new(scope("t").unwrap(), name, &matchers)).unwrap();
    }
    for tenant in ["a=b", "=", "a team", "team a ", "\u{1}\u{7f}", "Müller", "a\r\nb", ""] {
        let scope = scope(tenant).unwrap();
        batch.push(&distinct::PostingsKey::new(scope, "foo", "bar")).unwrap();
        batch.push(&mimir::SeriesKey::new(scope, 7)).unwrap();
    }
    let mut keys: Vec<Vec<u8>> = batch.iter().map(|key| key.as_bytes().to_vec()).collect();
    let others = ["é", "e", " ", "a b", "ab", "a  b", "k\r\nflush_all", "k", "\r\n", "\n", "\0"];
    keys.extend(others.map(|key| key.as_bytes().to_vec()));
    keys.extend((0x7f..=0xff).map(|byte| vec![byte]));
    let forms: Vec<_> = keys.iter().map(|key| escape_memcached(key).unwrap()).collect();
    let forms: Vec<_> = forms.into_iter().filter(|form| form.starts_with(b"~")).collect();
    let forms: Vec<_> = forms.into_iter().map(|form| form.into_owned()).collect();
    keys.extend(forms);
    keys.push(b"~".to_vec());
    keys.push(vec![b'k'; 250]);
    keys
}

#[tokio::test]
async fn keys_with_any_bytes_are_found_alone_and_in_batches() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let (keys, mut found) = (any_keys(), Values::new());
    let value = |index: usize| format!("value {index}").into_bytes();
    for (index, key) in keys.iter().enumerate() {
        let key = key.escape_ascii();
        cache.get_many(&keys[index..=index], &mut found).await.unwrap();
        assert_eq!(found.hits(), 0, "{key} has the value of another key");
        let entry = (&keys[index][..], value(index));
        cache.put_many(&[entry], &mut BatchScratch::new()).await.unwrap();
        cache.get_many(&keys[index..=index], &mut found).await.unwrap();
        assert_eq!(found.get(0), Some(&value(index)[..]), "{key}");
    }
    cache.get_many(&keys, &mut found).await.unwrap();
    for (index, value_found) in found.iter().enumerate() {
        assert_eq!(value_found, Some(&value(index)[..]), "{}", keys[index].escape_ascii());
    }

    // Other values, in one batch, asked for in another order, each twice and between misses.
    let value = |index: usize| format!("other value {index}").into_bytes();
    let entries: Vec<_> = (0..keys.len()).map(|index| (&keys[index][..], value(index))).collect();
    cache.put_many(&entries, &mut BatchScratch::new()).await.unwrap();
    let absent = "not there: é".as_bytes();
    let asked: Vec<_> =
        keys.iter().rev().flat_map(|key| [&key[..], absent, b"absent", &key[..]]).collect();
    cache.get_many(&asked, &mut found).await.unwrap();
    for (index, key) in keys.iter().enumerate() {
        let at = (keys.len() - 1 - index) * 4;
        let values: Vec<_> = (at..at + 4).map(|at| found.get(at)).collect();
        let value = value(index);
        assert_eq!(values, [Some(&value[..]), None, None, Some(&value)], "{}", key.escape_ascii());
    }
}

/// The server knows nothing of forms: what is stored for others is found by them, and theirs here.
#[tokio::test]
async fn usual_keys_are_those_of_other_programs() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let mut other = BufReader::new(tokio::net::TcpStream::connect(server.address).await.unwrap());
    let mut ask = async |command: &str, last: &str| {
        other.write_all(command.as_bytes()).await.unwrap();
        let mut answer = String::new();
        while !answer.ends_with(last) {
            assert!(other.read_line(&mut answer).await.unwrap() > 0);
        }
        answer
    };
    let mut found = Values::new();
    assert_eq!(ask("set P2:t:01HZ:Zm9v 0 0 1\r\nx\r\n", "\r\n").await, "STORED\r\n");
    assert_eq!(ask("set LV2:t:01HZ:日本:M 0 0 1\r\nx\r\n", "\r\n").await, "STORED\r\n");
    let keys = ["P2:t:01HZ:Zm9v", "LV2:t:01HZ:日本:M", "LV2:t:01HZ:a~b:M"];
    cache.get_many(&keys, &mut found).await.unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [Some(&b"x"[..]), None, None]);

    cache.put_many(&keys.map(|key| (key, "y")), &mut BatchScratch::new()).await.unwrap();
    for (key, expected) in [
        (keys[0], "VALUE P2:t:01HZ:Zm9v 0 1\r\ny\r\nEND\r\n"),
        (keys[1], "VALUE LV2:t:01HZ:日本:M 0 1\r\nx\r\nEND\r\n"), // theirs, as it was
        ("~LV2:t:01HZ:~5pel5pys~:M", "VALUE ~LV2:t:01HZ:~5pel5pys~:M 0 1\r\ny\r\nEND\r\n"),
        (keys[2], "VALUE LV2:t:01HZ:a~b:M 0 1\r\ny\r\nEND\r\n"),
    ] {
        assert_eq!(ask(&format!("get {key}\r\n"), "END\r\n").await, expected);
    }
}

/// Lengths decide what belongs to a value, not its content.
#[tokio::test]
async fn values_that_look_like_protocol_come_back() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache();
    let values = [
        &b"END\r\nVALUE crlf 0 1\r\nx\r\n"[..],
        b"",
        b"\r\n",
        b"END\r\n",
        b"STORED\r\n",
        b"SERVER_ERROR out of memory\r\n",
        b"VALUE k0 0 1\r\n",
        b"set k0 0 0 1\r\nx\r\n",
        b"\0",
    ];
    let keys: Vec<_> = (0..values.len()).map(|index| format!("k{index}")).collect();
    let entries: Vec<_> = keys.iter().zip(values).collect();
    cache.put_many(&entries, &mut BatchScratch::new()).await.unwrap();
    let mut found = Values::new();
    cache.get_many(&keys, &mut found).await.unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), values.map(Some));
}

#[tokio::test]
async fn entries_expire_after_their_time() {
    let Some(server) = Server::start() else { return };
    let cache = server.cache().with_ttl(Duration::from_secs(1));
    let days = server.cache().with_ttl(Duration::from_secs(90 * 24 * 60 * 60));
    cache.put_many(&[("a", "value")], &mut BatchScratch::new()).await.unwrap();
    days.put_many(&[("b", "value")], &mut BatchScratch::new()).await.unwrap();
    let mut found = Values::new();
    // No upper limit: the server's clock has steps of a second, and the machine may be busy.
    loop {
        cache.get_many(&["a", "b"], &mut found).await.unwrap();
        assert_eq!(found.get(1), Some(&b"value"[..]));
        if found.get(0).is_none() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_server_that_was_restarted_is_connected_to_again() {
    let Some(mut server) = Server::start() else { return };
    let cache = server.cache();
    cache.put_many(&[("a", "value")], &mut BatchScratch::new()).await.unwrap();
    server.stop();
    let mut found = Values::new();
    let result = cache.get_many(&["a"], &mut found).await;
    assert!(matches!(result, Err(MemcachedError::Io(_))), "{result:?}");
    server.process = Server::spawn(server.address).unwrap();
    assert!(server.is_up());
    cache.get_many(&["a"], &mut found).await.unwrap();
    assert_eq!((found.len(), found.hits()), (1, 0));
}

#[tokio::test]
async fn many_tasks_share_a_cache() {
    let Some(server) = Server::start() else { return };
    let cache = Arc::new(server.cache().with_max_idle(3));
    let tasks = (0..16).map(|task| {
        let cache = Arc::clone(&cache);
        tokio::spawn(async move {
            let (mut batch, mut found) = (BatchScratch::new(), Values::new());
            for round in 0..20 {
                let keys = [0, 1, 2].map(|n| format!("{task}-{n}"));
                let value = format!("{task} in round {round}");
                let entries = keys.each_ref().map(|key| (key, &value));
                cache.put_many(&entries, &mut batch).await.unwrap();
                cache.get_many(&keys, &mut found).await.unwrap();
                assert!(found.iter().all(|found| found == Some(value.as_bytes())));
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// Nothing listens there: keys are looked at before anything is sent.
#[tokio::test]
async fn keys_that_cannot_be_sent_are_refused() {
    let cache = Memcached::new("127.0.0.1:1");
    let mut found = Values::new();
    let too_long = "k".repeat(251);
    let too_long_escaped = "k".repeat(245) + "é";
    let longest = "k".repeat(250);
    let longest_escaped = "k".repeat(244) + "é";
    for key in ["", &too_long, &too_long_escaped] {
        let keys = ["fine", key];
        let expected = |error: MemcachedError| match error {
            MemcachedError::KeyTooLong { index: 1 } => !key.is_empty(),
            MemcachedError::InvalidKey { index: 1 } => key.is_empty(),
            _ => false,
        };
        assert!(expected(cache.get_many(&keys, &mut found).await.unwrap_err()), "get {key:?}");
        assert_eq!((found.len(), found.hits()), (2, 0));
        let entries = keys.map(|key| (key, "value"));
        let result = cache.put_many(&entries, &mut BatchScratch::new()).await;
        assert!(expected(result.unwrap_err()), "put {key:?}");
    }
    for key in [&longest, &longest_escaped, "a", "läb", "a b", "LV2:t:01HZ:job:YZhg"] {
        let result = cache.get_many(&[key], &mut found).await;
        assert!(matches!(result, Err(MemcachedError::Io(_))), "{key:?}: {result:?}");
    }
}

/// A server that answers each line with what `answer` makes of it, and counts lines and connections.
async fn fake(
    answer: impl Fn(usize, &str) -> Option<String> + Send + Sync + 'static,
) -> (Memcached, Arc<[AtomicUsize; 2]>) {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let cache = Memcached::new(listener.local_addr().unwrap().to_string())
        // Both sides share a thread of a debug build, perhaps on a busy machine.
        .with_timeout(Duration::from_secs(60));
    let counts: Arc<[AtomicUsize; 2]> = Arc::default();
    let (answer, [lines, connections]) = (Arc::new(answer), [0, 1]);
    let shared = Arc::clone(&counts);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            shared[connections].fetch_add(1, Ordering::Relaxed);
            let (counts, answer) = (Arc::clone(&shared), Arc::clone(&answer));
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                while stream.read_line(&mut line).await.is_ok_and(|len| len > 0) {
                    let count = counts[lines].fetch_add(1, Ordering::Relaxed);
                    // No answer: the connection is closed.
                    let Some(answer) = answer(count, &line) else { return };
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    line.clear();
                }
            });
        }
    });
    (cache, counts)
}

#[tokio::test]
async fn a_batch_of_any_size_is_one_request() {
    let (cache, counts) = fake(|_, line| {
        let keys = line.trim_end().strip_prefix("get ").unwrap().split(' ');
        let values = keys.step_by(2).map(|key| format!("VALUE {key} 0 {}\r\n{key}\r\n", key.len()));
        Some(values.collect::<String>() + "END\r\n")
    })
    .await;
    let keys: Vec<String> = (0..20_000).map(|n| format!("some-longer-key-{n}")).collect();
    let mut found = Values::new();
    for round in 1..=3 {
        cache.get_many(&keys, &mut found).await.unwrap();
        assert_eq!(found.hits(), 10_000);
        assert!(
            found.iter().zip(&keys).step_by(2).all(|(found, key)| found == Some(key.as_bytes()))
        );
        // Lines, connections: the next batch uses the same connection.
        assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [round, 1]);
    }
}

#[tokio::test]
async fn a_connection_closed_while_idle_is_replaced() {
    let (cache, counts) = fake(|count, _| (count != 1).then(|| "END\r\n".to_owned())).await;
    let mut found = Values::new();
    for _ in 0..3 {
        cache.get_many(&["a"], &mut found).await.unwrap();
    }
    assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [4, 2]);
}

#[tokio::test]
async fn answers_to_something_else_are_errors() {
    let mut found = Values::new();
    for (answer, server) in [
        ("VALUE b 0 7\r\nforeign\r\nEND\r\n", false),
        ("VALUE a 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n", false),
        ("STORED\r\n", false),
        ("what?\r\n", false),
        ("VALUE a 0 x\r\nEND\r\n", false),
        ("SERVER_ERROR out of memory\r\n", true),
        ("ERROR\r\n", true),
    ] {
        let (cache, _) = fake(move |_, _| Some(answer.to_owned())).await;
        let error = cache.get_many(&["a"], &mut found).await.unwrap_err();
        let expected = match error {
            MemcachedError::Server => server,
            MemcachedError::Protocol => !server,
            _ => false,
        };
        assert!(expected, "{answer:?}: {error:?}");
        assert_eq!((found.len(), found.hits()), (1, 0), "{answer:?}");
    }
}

/// Such a server may be an answer behind: the next one is read from another connection.
#[tokio::test]
async fn an_answer_to_something_else_closes_the_connection() {
    for answer in
        ["VALUE b 0 7\r\nforeign\r\nEND\r\n", "STORED\r\n", "CLIENT_ERROR bad data chunk\r\n"]
    {
        let (cache, counts) = fake(move |count, _| {
            // The second line is there for whoever would go on reading.
            let late = "VALUE a 0 4\r\nlate\r\nEND\r\n";
            Some(if count == 0 { format!("{answer}{late}") } else { "END\r\n".to_owned() })
        })
        .await;
        let mut found = Values::new();
        assert!(cache.get_many(&["a"], &mut found).await.is_err(), "{answer:?}");
        cache.get_many(&["a"], &mut found).await.unwrap();
        assert_eq!((found.len(), found.hits()), (1, 0), "{answer:?}");
        assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [2, 2]);
    }
    // Of two lines, command and value, the second is answered.
    for (answer, connections) in [("SERVER_ERROR object too large for cache", 1), ("END", 2)] {
        let (cache, counts) = fake(move |_, line| match line.trim_end() {
            "refused" => Some(format!("{answer}\r\n")),
            line => Some(if line.starts_with("set ") { "" } else { "STORED\r\n" }.to_owned()),
        })
        .await;
        // Of equal keys the last decides, and is the one that is named.
        let entries = [("a", "fine"), ("b", "refused"), ("a", "refused"), ("b", "fine")];
        for _ in 0..2 {
            let result = cache.put_many(&entries, &mut BatchScratch::new()).await;
            assert!(matches!(result, Err(MemcachedError::Refused { index: 2 })), "{result:?}");
        }
        assert_eq!(counts[1].load(Ordering::Relaxed), connections, "{answer}");
    }
}

/// The late answer to one batch is not taken for the answer to the next.
#[tokio::test]
async fn no_answer_in_time_closes_the_connection() {
    let (cache, counts) = fake(|count, _| {
        // Half an answer: the rest never comes.
        Some(if count == 0 { "VALUE a 0 6\r\nfor" } else { "END\r\n" }.to_owned())
    })
    .await;
    let cache = cache.with_timeout(Duration::from_secs(2));
    let mut found = Values::new();
    let result = cache.get_many(&["a"], &mut found).await;
    assert!(matches!(result, Err(MemcachedError::Timeout)), "{result:?}");
    let cache = cache.with_timeout(Duration::from_secs(20));
    cache.get_many(&["a"], &mut found).await.unwrap();
    assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [2, 2]);
}
