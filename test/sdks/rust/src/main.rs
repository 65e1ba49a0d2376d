//! What an application does with the official Rust SDK, once through, against one server.
//!
//! Endpoint and key come from COSMOS_ENDPOINT and COSMOS_KEY; nothing else here knows which server
//! it is. Each operation is one line on standard output: its name, a tab, and "ok" or what went
//! wrong. Steps go on after a failure, so that one run says all there is to say.
//!
//! Not here, because the SDK has it not, or not in its stable part: patch, read many, scripts,
//! users and permissions, deletion by partition key.

use azure_core::credentials::Secret;
use azure_data_cosmos::feed::ContinuationToken;
use azure_data_cosmos::models::{ContainerProperties, ThroughputProperties};
use azure_data_cosmos::options::{
    ChangeFeedOptions, ChangeFeedStartFrom, CreateContainerOptions, ItemWriteOptions,
    MaxItemCountHint, Precondition, QueryOptions,
};
use azure_data_cosmos::{
    AccountReference, ContainerClient, CosmosClient, CosmosError, DatabaseClient, FeedScope,
    PartitionKey, Query, RoutingStrategy, TransactionalBatch,
};
use futures::{StreamExt, TryStreamExt};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Debug;
use std::future::Future;
use std::num::NonZeroU32;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const COUNTRIES: [&str; 8] = ["at", "be", "ch", "de", "es", "fr", "gr", "hu"];

#[tokio::main]
async fn main() -> Outcome {
    let endpoint = std::env::var("COSMOS_ENDPOINT")?.parse()?;
    let key = Secret::from(std::env::var("COSMOS_KEY")?);
    let account = AccountReference::with_authentication_key(endpoint, key);
    let near = RoutingStrategy::ProximityTo("West Europe".into());
    let client = CosmosClient::builder().build(account, near).await?;

    let name = format!("rust-{}", std::process::id());
    step("create database", async {
        client.create_database(&name, None).await?;
        Ok(())
    })
    .await;
    let database = client.database_client(name.as_str());
    step("create container with several ranges", async {
        let rate = ThroughputProperties::manual(21000);
        let options = CreateContainerOptions::default().with_throughput(rate);
        let properties = ContainerProperties::new("items", "/country".into());
        database.create_container(properties, Some(options)).await?;
        Ok(())
    })
    .await;
    let items = database.container_client("items", None).await?;
    step("read feed ranges", async {
        same(items.read_feed_ranges(None).await?.len() > 1, true)
    })
    .await;
    step("hierarchical partition key", hierarchical(&database)).await;
    write(&items).await;
    query(&items).await;
    batch(&items).await;
    feed(&items).await;
    throughput(&database, &items).await;
    step("delete database", async {
        database.delete(None).await?;
        refused(database.read(None).await, 404)
    })
    .await;
    Ok(())
}

async fn hierarchical(database: &DatabaseClient) -> Outcome {
    let properties = ContainerProperties::new("tree", ("/tenant", "/user").into());
    database.create_container(properties, None).await?;
    let tree = database.container_client("tree", None).await?;
    for user in ["a", "b"] {
        let body = json!({ "id": user, "tenant": "t", "user": user });
        tree.create_item(("t", user), user, &body, None).await?;
    }
    let found: Value = tree.read_item(("t", "b"), "b", None).await?.into_model()?;
    same(&found["user"], &json!("b"))?;
    let mut names = rows(&tree, "SELECT VALUE c.id FROM c".into(), "t").await?;
    names.sort_by_key(Value::to_string);
    same(names, vec![json!("a"), json!("b")])
}

async fn write(items: &ContainerClient) {
    step("create items", async {
        for number in 0..80 {
            let (id, country) = (format!("i{number}"), COUNTRIES[number % 8]);
            let body = json!({ "id": id, "country": country, "n": number, "tags": ["new"] });
            items.create_item(country, &id, &body, None).await?;
        }
        Ok(())
    })
    .await;
    step("read item", async {
        same(&read(items, "i9", "be").await?["n"], &json!(9))
    })
    .await;
    step("all kinds of values", values(items)).await;
    step("upsert item", async {
        items
            .upsert_item("at", "u", &item("u", "at", 1), None)
            .await?;
        items
            .upsert_item("at", "u", &item("u", "at", 2), None)
            .await?;
        same(&read(items, "u", "at").await?["n"], &json!(2))
    })
    .await;
    step("replace item", async {
        items
            .replace_item("at", "u", &item("u", "at", 3), None)
            .await?;
        same(&read(items, "u", "at").await?["n"], &json!(3))
    })
    .await;
    step("conditional replace, 412", async {
        let before = items.read_item("at", "u", None).await?;
        let etag = before.headers().etag().ok_or("no etag")?.clone();
        let condition = || {
            let matching = Precondition::IfMatch(etag.clone());
            Some(ItemWriteOptions::default().with_precondition(matching))
        };
        let body = item("u", "at", 4);
        items.replace_item("at", "u", &body, condition()).await?;
        refused(items.replace_item("at", "u", &body, condition()).await, 412)
    })
    .await;
    step("delete item, 404", async {
        items.delete_item("at", "u", None).await?;
        refused(items.read_item("at", "u", None).await, 404)
    })
    .await;
    step("create twice, 409", async {
        let again = items
            .create_item("at", "i0", &item("i0", "at", 0), None)
            .await;
        refused(again, 409)
    })
    .await;
}

/// What is sent comes back, whatever form it takes on the way.
async fn values(items: &ContainerClient) -> Outcome {
    let body = json!({
        "id": "values", "country": "de",
        "numbers": [0, 1, -1, 31, 32, 255, 256, -200, 70000, 5000000000i64, 0.5, -1e300, 1e-7],
        "texts": ["", "a", "id", "Zürich", "日本", "x".repeat(300), "\u{1}\"\\", "1234567890"],
        "codes": ["9f0c4f5e-6a5b-4b7e-8f0a-0123456789ab", "c2F2ZWQ=", "deadbeefdeadbeef"],
        "others": [null, true, false, {}, [], { "deep": { "er": [[[1]]] } }],
    });
    items.create_item("de", "values", &body, None).await?;
    let found = read(items, "values", "de").await?;
    for name in ["numbers", "texts", "codes", "others"] {
        same(&found[name], &body[name])?;
    }
    items.delete_item("de", "values", None).await?;
    Ok(())
}

async fn query(items: &ContainerClient) {
    step("query in one partition", async {
        let text = "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n";
        let found = rows(items, text.into(), "be").await?;
        same(found, numbers([25, 33, 41, 49, 57, 65, 73]))
    })
    .await;
    step("query across partitions", async {
        let text = "SELECT VALUE c.n FROM c WHERE c.n < 10";
        let mut found = everywhere(items, text).await?;
        found.sort_by_key(Value::as_i64);
        same(found, numbers(0..10))
    })
    .await;
    step("query ORDER BY across partitions", async {
        let found = everywhere(items, "SELECT VALUE c.n FROM c ORDER BY c.n DESC").await?;
        same(found, numbers((0..80).rev()))
    })
    .await;
    step("query with parameters", async {
        let text = "SELECT VALUE c.id FROM c WHERE c.n = @n AND ARRAY_CONTAINS(c.tags, @tag)";
        let asked = Query::from(text)
            .with_parameter("@n", 17)?
            .with_parameter("@tag", "new")?;
        same(rows(items, asked, "be").await?, vec![json!("i17")])
    })
    .await;
    step("query page by page with continuation", paging(items)).await;
}

async fn paging(items: &ContainerClient) -> Outcome {
    let mut found = Vec::new();
    let mut continuation: Option<ContinuationToken> = None;
    loop {
        let three = MaxItemCountHint::Limit(NonZeroU32::new(3).ok_or("zero")?);
        let mut options = QueryOptions::default().with_max_item_count(three);
        if let Some(token) = continuation.take() {
            options = options.with_continuation_token(token);
        }
        let mut pages = items
            .query_items::<i64>(
                "SELECT VALUE c.n FROM c",
                FeedScope::partition("be"),
                Some(options),
            )
            .await?
            .into_pages();
        let Some(page) = pages.try_next().await? else {
            break;
        };
        same(page.items().len() <= 3, true)?;
        found.extend(page.into_items());
        if found.len() >= 10 {
            break;
        }
        continuation = Some(pages.to_continuation_token()?);
    }
    found.sort();
    same(found, vec![1, 9, 17, 25, 33, 41, 49, 57, 65, 73])
}

async fn batch(items: &ContainerClient) {
    step("transactional batch", async {
        let batch = TransactionalBatch::new("ch")
            .create_item(item("b1", "ch", 100))?
            .upsert_item(item("b2", "ch", 101), None)?
            .read_item("b1", None)
            .delete_item("b1", None);
        same(codes(items, batch).await?, vec![201, 201, 200, 204])?;
        same(&read(items, "b2", "ch").await?["n"], &json!(101))
    })
    .await;
    step("transactional batch, rolled back", async {
        let batch = TransactionalBatch::new("ch")
            .create_item(item("b3", "ch", 0))?
            .create_item(item("b2", "ch", 0))?;
        same(codes(items, batch).await?, vec![424, 409])?;
        refused(items.read_item("ch", "b3", None).await, 404)
    })
    .await;
}

async fn codes(items: &ContainerClient, batch: TransactionalBatch) -> Outcome<Vec<u16>> {
    let answer = items
        .execute_transactional_batch(batch, None)
        .await?
        .into_model()?;
    Ok(answer
        .results()
        .iter()
        .map(|result| result.status_code())
        .collect())
}

async fn feed(items: &ContainerClient) {
    let mut continuation = None;
    step("change feed from the beginning", async {
        let (names, token) = drain(items, FeedScope::full_container(), None).await?;
        continuation = token;
        same(names.len(), 81)
    })
    .await;
    step("change feed with continuation", async {
        items
            .upsert_item("gr", "later", &item("later", "gr", 0), None)
            .await?;
        let token = continuation.take().ok_or("no continuation")?;
        let (names, _) = drain(items, FeedScope::full_container(), Some(token)).await?;
        same(names, vec!["later".to_string()])
    })
    .await;
    step("change feed per feed range", async {
        let mut names = Vec::new();
        for range in items.read_feed_ranges(None).await? {
            names.extend(drain(items, FeedScope::range(range), None).await?.0);
        }
        same(names.len(), 82)?;
        same(names.into_iter().collect::<BTreeSet<_>>().len(), 82)
    })
    .await;
    step("change feed of one partition key", async {
        same(
            drain(items, FeedScope::partition("be"), None)
                .await?
                .0
                .len(),
            10,
        )
    })
    .await;
}

/// Reads until every range had nothing; the names, and where to go on from.
async fn drain(
    items: &ContainerClient,
    scope: FeedScope,
    from: Option<ContinuationToken>,
) -> Outcome<(Vec<String>, Option<ContinuationToken>)> {
    let mut options = ChangeFeedOptions::default();
    if let Some(token) = from {
        options = options.with_continuation_token(token);
    }
    let start = ChangeFeedStartFrom::Beginning;
    let mut pages = items
        .query_change_feed::<Value>(scope, start, Some(options))
        .await?;
    let mut names = Vec::new();
    let range_count = items.read_feed_ranges(None).await?.len();
    let mut empty_count = 0;
    while let Some(page) = pages.next().await {
        let page = page?;
        empty_count = if page.items().is_empty() {
            empty_count + 1
        } else {
            0
        };
        if empty_count == range_count {
            break;
        }
        for change in page.items() {
            let current = change.current().ok_or("a change without an item")?;
            names.push(current["id"].as_str().unwrap_or_default().to_string());
        }
    }
    Ok((names, pages.to_continuation_token().ok()))
}

async fn throughput(database: &DatabaseClient, items: &ContainerClient) {
    step("read and replace throughput", async {
        let before = items.read_throughput(None).await?.ok_or("no throughput")?;
        same(before.throughput(), Some(21000))?;
        let wanted = ThroughputProperties::manual(22000);
        let after = items
            .begin_replace_throughput(wanted, None)
            .await?
            .await?
            .into_model()?;
        same(after.throughput(), Some(22000))
    })
    .await;
    step("autoscale throughput", async {
        let rate = ThroughputProperties::autoscale(4000, None);
        let options = CreateContainerOptions::default().with_throughput(rate);
        let properties = ContainerProperties::new("auto", "/id".into());
        database.create_container(properties, Some(options)).await?;
        let auto = database.container_client("auto", None).await?;
        let found = auto.read_throughput(None).await?.ok_or("no throughput")?;
        same(found.autoscale_maximum(), Some(4000))
    })
    .await;
}

async fn read(items: &ContainerClient, id: &str, country: &str) -> Outcome<Value> {
    let key = PartitionKey::from(country.to_string());
    Ok(items.read_item(key, id, None).await?.into_model()?)
}

/// All rows of a query in one partition.
async fn rows(from: &ContainerClient, text: Query, country: &'static str) -> Outcome<Vec<Value>> {
    let scope = FeedScope::partition(country);
    Ok(from
        .query_items(text, scope, None)
        .await?
        .try_collect()
        .await?)
}

/// All rows of a query across partitions.
async fn everywhere(from: &ContainerClient, text: &str) -> Outcome<Vec<Value>> {
    let scope = FeedScope::full_container();
    Ok(from
        .query_items(text, scope, None)
        .await?
        .try_collect()
        .await?)
}

fn numbers(values: impl IntoIterator<Item = i64>) -> Vec<Value> {
    values.into_iter().map(Value::from).collect()
}

fn item(id: &str, country: &str, n: i64) -> Value {
    json!({ "id": id, "country": country, "n": n })
}

async fn step(name: &str, run: impl Future<Output = Outcome>) {
    match run.await {
        Ok(()) => println!("{name}\tok"),
        Err(problem) => {
            let text = problem.to_string();
            let words: Vec<&str> = text.split_whitespace().collect();
            println!("{name}\t{:.400}", words.join(" "));
        }
    }
}

fn same<T: PartialEq + Debug>(found: T, expected: T) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("found {found:?}, expected {expected:?}").into())
}

/// The operation must have failed with the SDK's own type and that status.
fn refused<T>(found: Result<T, CosmosError>, status: u16) -> Outcome {
    match found {
        Ok(_) => Err(format!("was not refused with {status}").into()),
        Err(problem) => same(u16::from(problem.status().status_code()), status),
    }
}
