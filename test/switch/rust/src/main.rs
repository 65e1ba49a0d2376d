//! An application with the official Rust SDK that goes on through a switch of names.
//!
//! It goes by the key /pk all the time. Each line on standard output is a word, a tab and more:
//! "round" when one is over, "failed" with a call and what came of it, "kept" with an item that was
//! acknowledged. Not here, because the SDK has it not: patch.

use azure_core::credentials::Secret;
use azure_data_cosmos::feed::ContinuationToken;
use azure_data_cosmos::options::{ChangeFeedOptions, ChangeFeedStartFrom};
use azure_data_cosmos::{
    AccountReference, ContainerClient, CosmosClient, FeedScope, Query, RoutingStrategy,
    TransactionalBatch,
};
use futures::{StreamExt, TryStreamExt};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Display;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// So many pages without a change in turn: one for each range there may be.
const IDLE_MAX: usize = 8;

#[tokio::main]
async fn main() -> Outcome {
    let endpoint = std::env::var("COSMOS_ENDPOINT")?.parse()?;
    let key = Secret::from(std::env::var("COSMOS_KEY")?);
    let rounds: usize = std::env::var("SWITCH_ROUNDS")?.parse()?;
    let account = AccountReference::with_authentication_key(endpoint, key);
    let near = RoutingStrategy::ProximityTo("West Europe".into());
    let client = CosmosClient::builder().build(account, near).await?;
    let items = client.database_client("d").container_client("c", None).await?;
    let mut kept = BTreeMap::new();
    let mut feed = Feed::default();
    for round in 0..rounds {
        one_round(&items, round, &mut kept).await;
        if round % 5 == 0 {
            feed.read(&items).await;
        }
        println!("round\t{round}");
    }
    feed.read(&items).await;
    for id in kept.keys().filter(|id| !feed.seen.contains(*id)).take(5) {
        fail("change feed", format!("{id} did not come"));
    }
    for (id, n) in kept {
        println!("kept\t{id}\t{n}");
    }
    Ok(())
}

async fn one_round(items: &ContainerClient, round: usize, kept: &mut BTreeMap<String, i64>) {
    let (key, tenant) = (format!("p{}", round % 5), format!("t{}", round % 7));
    let body = |id: &str, n: i64| json!({ "id": id, "pk": key, "tenant": tenant, "n": n });
    let id = format!("a{round}");
    let id = id.as_str();
    let made = items.create_item(key.clone(), id, &body(id, 0), None).await;
    wrote("create", made, id, 0, kept);
    match read(items, &key, id).await {
        Ok(n) => same("read", n, 0),
        Err(problem) => fail("read", problem),
    }
    let made = items.replace_item(key.clone(), id, &body(id, 1), None).await;
    wrote("replace", made, id, 1, kept);
    let made = items.upsert_item(key.clone(), id, &body(id, 2), None).await;
    wrote("upsert", made, id, 2, kept);
    let in_key = FeedScope::partition(key.clone());
    for (name, scope) in [
        ("query by key", in_key),
        ("query across partitions", FeedScope::full_container()),
    ] {
        match query(items, id, scope).await {
            Ok(rows) if rows.len() == 1 => same(name, rows[0]["n"].as_i64().unwrap_or(-1), 2),
            Ok(rows) => fail(name, format!("{} rows", rows.len())),
            Err(problem) => fail(name, problem),
        }
    }
    let passing = format!("b{round}");
    let passing = passing.as_str();
    let made = items.create_item(key.clone(), passing, &body(passing, 0), None).await;
    wrote("create", made, passing, 0, kept);
    match items.delete_item(key.clone(), passing, None).await {
        Ok(_) => {
            kept.remove(passing);
            if read(items, &key, passing).await.is_ok() {
                fail("read what is deleted", "it is there");
            }
        }
        Err(problem) => fail("delete", problem),
    }
    let pair = [format!("x{round}"), format!("y{round}")];
    match together(items, &key, [body(&pair[0], 7), body(&pair[1], 7)]).await {
        Ok(codes) if codes == [201, 201] => {
            for id in pair {
                kept.insert(id, 7);
            }
        }
        Ok(codes) => fail("batch", format!("{codes:?}")),
        Err(problem) => fail("batch", problem),
    }
}

/// The changes, read until there are no more, from where it was the last time.
#[derive(Default)]
struct Feed {
    seen: BTreeSet<String>,
    place: Option<String>,
}

impl Feed {
    async fn read(&mut self, items: &ContainerClient) {
        if let Err(problem) = self.read_on(items).await {
            fail("change feed", problem);
        }
    }

    async fn read_on(&mut self, items: &ContainerClient) -> Outcome {
        let mut options = ChangeFeedOptions::default();
        if let Some(place) = self.place.take() {
            options = options.with_continuation_token(ContinuationToken::from_string(place));
        }
        let scope = FeedScope::full_container();
        let start = ChangeFeedStartFrom::Beginning;
        let mut pages = items.query_change_feed::<Value>(scope, start, Some(options)).await?;
        let mut idle = 0;
        while idle < IDLE_MAX {
            let Some(page) = pages.next().await else { break };
            let page = page?;
            idle = if page.items().is_empty() { idle + 1 } else { 0 };
            for change in page.items() {
                let id = change.current().and_then(|item| item["id"].as_str());
                self.seen.extend(id.map(str::to_string));
            }
            self.place = Some(pages.to_continuation_token()?.as_str().to_string());
        }
        Ok(())
    }
}

async fn read(items: &ContainerClient, key: &str, id: &str) -> Outcome<i64> {
    let found: Value = items.read_item(key.to_string(), id, None).await?.into_model()?;
    Ok(found["n"].as_i64().unwrap_or(-1))
}

async fn query(items: &ContainerClient, id: &str, scope: FeedScope) -> Outcome<Vec<Value>> {
    let text = Query::from(format!("SELECT * FROM c WHERE c.id = '{id}'"));
    Ok(items.query_items(text, scope, None).await?.try_collect().await?)
}

async fn together(items: &ContainerClient, key: &str, pair: [Value; 2]) -> Outcome<Vec<u16>> {
    let [one, other] = pair;
    let batch = TransactionalBatch::new(key.to_string())
        .create_item(one)?
        .create_item(other)?;
    let answer = items.execute_transactional_batch(batch, None).await?.into_model()?;
    Ok(answer.results().iter().map(|result| result.status_code()).collect())
}

fn wrote<T, E: Display>(
    name: &str,
    made: Result<T, E>,
    id: &str,
    n: i64,
    kept: &mut BTreeMap<String, i64>,
) {
    match made {
        Ok(_) => {
            kept.insert(id.to_string(), n);
        }
        Err(problem) => fail(name, problem),
    }
}

fn same(name: &str, found: i64, expected: i64) {
    if found != expected {
        fail(name, format!("found {found}, expected {expected}"));
    }
}

fn fail(name: &str, why: impl Display) {
    let line = why.to_string().replace(['\n', '\t'], " ");
    println!("failed\t{name}\t{}", line.chars().take(400).collect::<String>());
}
