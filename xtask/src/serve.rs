//! A static file server on loopback, for the demo page and the tests.

use crate::Result;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{JoinHandle, spawn};
use tiny_http::{Method, Request};

/// The first port tried by default.
const PORT: u16 = 8000;
const THREADS: usize = 4;

pub struct Server {
    port: u16,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves `folder` at `port`, by default at the first free one from 8000.
    pub fn start(folder: PathBuf, port: Option<u16>) -> Result<Self> {
        let wanted = port.map_or(PORT..=PORT + 50, |port| port..=port);
        let mut refused = String::new();
        for port in wanted {
            match tiny_http::Server::http(("127.0.0.1", port)) {
                Ok(server) => return Ok(Self::over(server, folder)),
                Err(error) => {
                    refused = format!("port {port} cannot be used: {error}. Name another with --port.")
                }
            }
        }
        Err(refused)
    }

    fn over(server: tiny_http::Server, folder: PathBuf) -> Self {
        let server = Arc::new(server);
        let folder = Arc::new(folder);
        let port = server.server_addr().to_ip().map_or(0, |address| address.port());
        let threads = (0..THREADS)
            .map(|_| {
                let (server, folder) = (server.clone(), folder.clone());
                spawn(move || {
                    while let Ok(request) = server.recv() {
                        answer(request, &folder);
                    }
                })
            })
            .collect();
        Self { port, threads }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    pub fn wait(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, folder: &Path) {
    // Errors of a client that has disconnected are ignored.
    let _ = match (request.method(), open(request.url(), folder)) {
        (Method::Get | Method::Head, Some((file, kind))) => send(request, "200 OK", kind, file),
        (Method::Get | Method::Head, None) => send(request, "404 Not Found", "text/plain", &b"Not found"[..]),
        _ => send(request, "405 Method Not Allowed", "text/plain", &b"Only GET and HEAD"[..]),
    };
}

/// Returns the headers that a file cannot set: no other site may frame it, and it connects and navigates to this origin only, WebRTC
/// included, in browsers that support the header. The frame for the language model may connect to any HTTP address.
fn guards(url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    if path.ends_with("/llm-frame.html") {
        "Content-Security-Policy: frame-ancestors 'self'\r\nConnection-Allowlist: (\"*://*:*/*\");redirects=allow"
    } else {
        "Content-Security-Policy: frame-ancestors 'self'\r\nConnection-Allowlist: (response-origin)"
    }
}

/// Sends a response and asks for the connection to be closed. Each open connection holds a thread, and of several
/// concurrent connections to a new server, some would wait for one forever.
fn send(request: Request, status: &str, kind: &str, body: impl Body) -> std::io::Result<()> {
    let (is_head, length) = (*request.method() == Method::Head, body.length()?);
    let guards = guards(request.url());
    let mut writer = request.into_writer();
    // With the length, so that pages can show the progress of a download.
    write!(
        writer,
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\nContent-Type: {kind}\r\n\
         Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n{guards}\r\n\r\n"
    )?;
    if !is_head {
        std::io::copy(&mut body.take(length), &mut writer)?;
    }
    writer.flush()
}

/// The body of a response.
trait Body: Read {
    fn length(&self) -> std::io::Result<u64>;
}

impl Body for File {
    fn length(&self) -> std::io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl Body for &[u8] {
    fn length(&self) -> std::io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// Returns the file of an address and its type; none outside the folder.
fn open(url: &str, folder: &Path) -> Option<(File, &'static str)> {
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let path = Path::new(path);
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut file = folder.join(path);
    if file.is_dir() {
        file.push("index.html");
    }
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    Some((File::open(file).ok()?, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    fn ask(address: std::net::SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(b"GET /serve.rs HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
        stream
    }

    /// Checks that the whole file is sent, also if the client asks to keep the connection open, as browsers do.
    fn read(stream: TcpStream) -> (bool, Option<TcpStream>) {
        let mut reader = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
        let length: u64 =
            head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok()).unwrap();
        let mut body = String::new();
        reader.take(length).read_to_string(&mut body).unwrap();
        (body == include_str!("serve.rs"), (!head.contains("Connection: close")).then_some(stream))
    }

    #[test]
    fn no_page_may_be_framed_elsewhere_and_the_frame_to_the_model_alone_may_leave_the_origin() {
        for url in ["/", "/index.html", "/main.js", "/nothing", "/xllm-frame.html"] {
            assert!(guards(url).contains("frame-ancestors 'self'"), "{url}");
            assert!(guards(url).ends_with("Connection-Allowlist: (response-origin)"), "{url}");
        }
        for url in ["/llm-frame.html", "/folder/llm-frame.html?x", "/llm-frame.html#http"] {
            assert!(guards(url).contains("frame-ancestors 'self'"), "{url}");
            assert!(guards(url).ends_with("Connection-Allowlist: (\"*://*:*/*\");redirects=allow"), "{url}");
        }
    }

    #[test]
    fn what_is_served_carries_its_guards() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let _server = Server::over(tiny_http::Server::from_listener(listener, None).unwrap(), folder);
        let mut lines = BufReader::new(ask(address)).lines().map(|line| line.unwrap());
        assert!(lines.any(|line| line == "Connection-Allowlist: (response-origin)"));
        assert!(lines.any(|line| line.is_empty()), "the head ends behind it");
    }

    #[test]
    fn a_fresh_server_answers_all_who_come_at_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let _server = Server::over(tiny_http::Server::from_listener(listener, None).unwrap(), folder);
        // Until its threads wait for work.
        std::thread::sleep(Duration::from_millis(200));
        let waiting: Vec<TcpStream> = (0..24).map(|_| ask(address)).collect();
        let answered: Vec<(bool, Option<TcpStream>)> = waiting.into_iter().map(read).collect();
        assert!(answered.iter().all(|(whole, _)| *whole));
    }
}
