//! A client of Chroma's HTTP API v2, as far as filling a collection needs it.

use serde_json::{Map, Value, json};
use std::thread::sleep;
use std::time::Duration;
use ureq::Agent;
use ureq::http::Response;
use vademecum::error::{Error, Result, excerpt};

/// Time that one request may take: a large batch is indexed before it is answered.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Attempts after the first.
const RETRIES: u32 = 5;
/// Time before the first of them; doubled with each.
const PAUSE: Duration = Duration::from_millis(250);
/// Longest time that a server may ask to wait.
const LONGEST: Duration = Duration::from_secs(60);
/// Most bytes of an answer.
const MOST: u64 = 1 << 28;
/// Nodes of the server's graph that a search looks at: more hits than this are not found, and fewer with less.
const EF_SEARCH: usize = 400;

/// A server, and the database on it.
#[derive(Debug, Clone)]
pub(crate) struct Chroma {
    agent: Agent,
    url: String,
    /// The path of the database's collections.
    base: String,
    token: Option<String>,
}

/// A collection of a server.
#[derive(Debug, Clone)]
pub(crate) struct Collection {
    pub(crate) id: String,
    pub(crate) metadata: Map<String, Value>,
    /// The length of its vectors, once it has one.
    pub(crate) dimensions: Option<u64>,
    pub(crate) space: String,
}

/// An answer, with the time that the server asks to wait.
struct Answer {
    status: u16,
    body: Value,
    wait: Option<Duration>,
}

fn encoded(part: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let sign = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    part.bytes().map(sign).collect()
}

impl Chroma {
    /// Returns a client of a database.
    ///
    /// # Errors
    /// `invalid_argument` for an address that is none.
    pub(crate) fn new(url: &str, tenant: &str, database: &str, token: Option<String>) -> Result<Self> {
        let url = url.trim_end_matches('/').to_owned();
        if !matches!(url.split_once("://"), Some(("http" | "https", _))) {
            return Err(Error::invalid("--chroma", "an address such as http://localhost:8000", url));
        }
        let config =
            // A redirect would carry texts and the key to a host that nobody named.
            Agent::config_builder().timeout_global(Some(TIMEOUT)).max_redirects(0).http_status_as_error(false).build();
        let base = format!("/api/v2/tenants/{}/databases/{}/collections", encoded(tenant), encoded(database));
        Ok(Self { agent: config.new_agent(), url, base, token })
    }

    /// Returns the number of passages that one request may hold.
    ///
    /// # Errors
    /// `remote_version`, `remote_unavailable` and the other errors of requests.
    pub(crate) fn batch_size(&self) -> Result<usize> {
        let answer = self.ask("GET", "/api/v2/pre-flight-checks", None)?;
        if answer.status == 404 || answer.status == 410 {
            let message = format!(
                "The server at {} has no HTTP API v2 of Chroma (it answered {}). Chroma 1.5 or later has; check the address, which is without /api.",
                self.url, answer.status
            );
            return Err(remote("remote_version", message, false));
        }
        let body = self.good(answer)?;
        let most = body.get("max_batch_size").and_then(Value::as_u64).filter(|most| *most > 0);
        most.map(|most| most as usize).ok_or_else(|| self.unusable("a number `max_batch_size`"))
    }

    /// Returns a collection; `None` if there is none of this name.
    ///
    /// # Errors
    /// Those of requests.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Collection>> {
        let answer = self.ask("GET", &format!("{}/{}", self.base, encoded(name)), None)?;
        if answer.status == 404 {
            return Ok(None);
        }
        self.collection(&self.good(answer)?).map(Some)
    }

    /// Creates a collection that compares cosines.
    ///
    /// # Errors
    /// Those of requests.
    pub(crate) fn create(&self, name: &str, metadata: &Map<String, Value>) -> Result<Collection> {
        let hnsw = json!({ "space": "cosine", "ef_search": EF_SEARCH });
        let body = json!({ "name": name, "metadata": metadata, "configuration": { "hnsw": hnsw } });
        self.collection(&self.good(self.ask("POST", &self.base, Some(&body))?)?)
    }

    fn collection(&self, body: &Value) -> Result<Collection> {
        let id = body.get("id").and_then(Value::as_str);
        let id = id.ok_or_else(|| self.unusable("a collection with an `id`"))?.to_owned();
        let space = ["/configuration_json/hnsw/space", "/configuration_json/spann/space"]
            .iter()
            .find_map(|path| body.pointer(path)?.as_str());
        Ok(Collection {
            id,
            metadata: body.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default(),
            dimensions: body.get("dimension").and_then(Value::as_u64),
            space: space.unwrap_or("l2").to_owned(),
        })
    }

    /// Replaces the metadata of a collection.
    ///
    /// # Errors
    /// Those of requests.
    pub(crate) fn describe(&self, collection: &Collection, metadata: &Map<String, Value>) -> Result<()> {
        let path = format!("{}/{}", self.base, collection.id);
        self.good(self.ask("PUT", &path, Some(&json!({ "new_metadata": metadata })))?).map(drop)
    }

    /// Returns ids and metadata of the passages of a collection from `offset` on.
    ///
    /// # Errors
    /// Those of requests.
    pub(crate) fn page(
        &self,
        collection: &Collection,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<(String, Map<String, Value>)>> {
        let body = json!({ "limit": limit, "offset": offset, "include": ["metadatas"] });
        let body = self.post(collection, "get", &body)?;
        let list = |name: &str| body.get(name).and_then(Value::as_array);
        let (Some(ids), Some(metadata)) = (list("ids"), list("metadatas")) else {
            return Err(self.unusable("lists `ids` and `metadatas`"));
        };
        if ids.len() != metadata.len() {
            return Err(self.unusable("lists `ids` and `metadatas` of one length"));
        }
        let row = |(id, metadata): (&Value, &Value)| {
            Some((id.as_str()?.to_owned(), metadata.as_object().cloned().unwrap_or_default()))
        };
        ids.iter()
            .zip(metadata)
            .map(|one| row(one).ok_or_else(|| self.unusable("ids that are strings")))
            .collect()
    }

    /// Sends a request about the passages of a collection: `upsert`, `delete` or `get`.
    ///
    /// # Errors
    /// Those of requests.
    pub(crate) fn post(&self, collection: &Collection, what: &str, body: &Value) -> Result<Value> {
        self.good(self.ask("POST", &format!("{}/{}/{what}", self.base, collection.id), Some(body))?)
    }

    /// Sends a request, again where the server is busy or cannot be reached.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer> {
        let mut pause = PAUSE;
        for attempt in 0.. {
            let answer = self.once(method, path, body);
            let (again, wait) = match &answer {
                Ok(answer) => ([429, 502, 503, 504].contains(&answer.status), answer.wait),
                Err(error) => (error.retryable(), None),
            };
            if !again || attempt == RETRIES || wait.is_some_and(|wait| wait > LONGEST) {
                return answer;
            }
            sleep(wait.unwrap_or(pause));
            pause *= 2;
        }
        Err(Error::internal("A request was never sent.".into()))
    }

    fn once(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer> {
        let address = format!("{}{path}", self.url);
        let mut request = ureq::http::Request::builder().method(method).uri(&address);
        request = request.header("content-type", "application/json").header("accept", "application/json");
        if let Some(token) = &self.token {
            request =
                request.header("authorization", format!("Bearer {token}")).header("x-chroma-token", token);
        }
        let bytes = body.map(Value::to_string).unwrap_or_default();
        let request = request
            .body(bytes)
            .map_err(|error| Error::invalid("--chroma", "an address", format!("{address} ({error})")))?;
        let mut response = self.agent.run(request).map_err(|error| self.unreachable(&error))?;
        let wait = wait_of(&response);
        let status = response.status().as_u16();
        let read = response.body_mut().with_config().limit(MOST).read_to_vec();
        let bytes = read.map_err(|error| self.unreachable(&error))?;
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(excerpt(&String::from_utf8_lossy(&bytes), 120)));
        Ok(Answer { status, body, wait })
    }

    fn unreachable(&self, error: &ureq::Error) -> Error {
        let message =
            format!("The Chroma server at {} cannot be reached: {error}. Check that it runs.", self.url);
        remote("remote_unavailable", message, true)
    }

    fn unusable(&self, expected: &str) -> Error {
        let message =
            format!("The Chroma server at {} must answer with {expected}. Check the address.", self.url);
        remote("remote_reply", message, false)
    }

    /// Returns the body of an answer that is no refusal.
    fn good(&self, answer: Answer) -> Result<Value> {
        let Answer { status, body, .. } = answer;
        if (200..300).contains(&status) {
            return if body.is_string() { Err(self.unusable("JSON")) } else { Ok(body) };
        }
        let said = body.get("message").or(Some(&body)).and_then(Value::as_str).unwrap_or_default();
        let (code, advice) = match status {
            401 | 403 => ("remote_refused", "Check --token."),
            429 => ("remote_busy", "Run it again later: it goes on where it was."),
            500.. => ("remote_unavailable", "Run it again: it goes on where it was."),
            _ => ("remote_failed", "Check the options."),
        };
        let message = format!(
            "The Chroma server at {} answered HTTP {status}: {} {advice}",
            self.url,
            excerpt(said, 200)
        );
        Err(remote(code, message, status >= 429))
    }
}

/// Returns an error of a server.
pub(crate) fn remote(code: &'static str, message: String, retryable: bool) -> Error {
    Error::Relayed { code, message, retryable }
}

fn wait_of<Body>(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_for_paths() {
        assert_eq!(encoded("my notes/ä"), "my%20notes%2F%C3%A4");
    }
}
