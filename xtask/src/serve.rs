//! A static file server on loopback, for the demo page and the tests.

use crate::Result;
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{JoinHandle, spawn};
use tiny_http::{Header, Method, Request, Response};

/// The first port tried where none is named.
const PORT: u16 = 8000;
const THREADS: usize = 4;

pub struct Server {
    port: u16,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves `folder`, at `port` or at the first free one from 8000.
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
    // A client that has gone away needs no answer.
    let _ = match (request.method(), open(request.url(), folder)) {
        (Method::Get | Method::Head, Some((file, kind))) => {
            // With its length: without, a page cannot tell how far a download is.
            let mut response = Response::from_file(file).with_chunked_threshold(usize::MAX);
            for (name, value) in
                [("Content-Type", kind), ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")]
            {
                if let Ok(header) = Header::from_bytes(name, value) {
                    response.add_header(header);
                }
            }
            request.respond(response)
        }
        (Method::Get | Method::Head, None) => {
            request.respond(Response::from_string("Not found").with_status_code(404))
        }
        _ => request.respond(Response::from_string("Only GET and HEAD").with_status_code(405)),
    };
}

/// The file of an address and its type; none outside the folder.
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
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    Some((File::open(file).ok()?, kind))
}
