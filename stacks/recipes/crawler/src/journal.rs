//! What was sent.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};

/// Counts the requests by whether they had an answer, and by the status of the response. Clones
/// share the counts.
#[derive(Clone, Default)]
pub struct Journal(Arc<Mutex<BTreeMap<(bool, u16), usize>>>);

impl Journal {
    /// How many requests were sent since this was last asked. Prints what they were.
    pub fn take(&self) -> usize {
        let counts = std::mem::take(&mut *self.0.lock().unwrap());
        let total = counts.values().sum();
        print!("  {total} requests:");
        for ((has_answer, status), count) in counts {
            let how = if has_answer { "answered" } else { "bare" };
            print!(" {count} {how} {status}");
        }
        println!();
        total
    }
}

#[async_trait::async_trait]
impl Middleware for Journal {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let headers = request.headers();
        let mut names = ["authorization", "proxy-authorization"].into_iter();
        let has_answer = names.any(|name| headers.contains_key(name));
        let response = next.run(request, extensions).await?;
        let key = (has_answer, response.status().as_u16());
        *self.0.lock().unwrap().entry(key).or_insert(0) += 1;
        Ok(response)
    }
}
