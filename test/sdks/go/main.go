// What an application does with the official Go SDK, once through, against one server.
//
// Endpoint and key come from COSMOS_ENDPOINT and COSMOS_KEY; nothing else here knows which server
// it is. Each operation is one line on standard output: its name, a tab, and "ok" or what went
// wrong. Steps go on after a failure, so that one run says all there is to say.
//
// Not here, because the SDK has it not: merging of queries across partitions (ORDER BY, sums),
// scripts, users and permissions, deletion by partition key.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

type object = map[string]any

var (
	always    = context.Background()
	countries = []string{"at", "be", "ch", "de", "es", "fr", "gr", "hu"}
	answering = &azcosmos.ItemOptions{EnableContentResponseOnWrite: true}
)

type programme struct {
	client   *azcosmos.Client
	database *azcosmos.DatabaseClient
	items    *azcosmos.ContainerClient
	name     string
}

func main() {
	credential := must(azcosmos.NewKeyCredential(os.Getenv("COSMOS_KEY")))
	endpoint := os.Getenv("COSMOS_ENDPOINT")
	p := &programme{
		client: must(azcosmos.NewClientWithKey(endpoint, credential, nil)),
		name:   fmt.Sprintf("go-%x", time.Now().UnixNano()),
	}
	p.makeAll()
	p.write()
	p.patch()
	p.query()
	p.batch()
	p.feed()
	p.throughput()
	step("delete database", func() {
		must(p.database.Delete(always, nil))
		_, err := p.database.Read(always, nil)
		refused(err, 404)
	})
}

func (p *programme) makeAll() {
	step("create database", func() {
		must(p.client.CreateDatabase(always, azcosmos.DatabaseProperties{ID: p.name}, nil))
		p.database = must(p.client.NewDatabase(p.name))
		same(must(p.database.Read(always, nil)).DatabaseProperties.ID, p.name)
	})
	step("create container with several ranges", func() {
		rate := azcosmos.NewManualThroughputProperties(21000)
		p.items = p.container("items", []string{"/country"}, &rate)
		ranges := must(p.items.ReadFeedRanges(always, nil))
		same(len(ranges) > 1, true)
	})
	step("hierarchical partition key", func() {
		tree := p.container("tree", []string{"/tenant", "/user"}, nil)
		for _, user := range []string{"a", "b"} {
			key := azcosmos.NewPartitionKeyString("t").AppendString(user)
			body := encode(object{"id": user, "tenant": "t", "user": user})
			must(tree.CreateItem(always, key, body, nil))
		}
		whole := azcosmos.NewPartitionKeyString("t").AppendString("b")
		same(decode(must(tree.ReadItem(always, whole, "b", nil)).Value)["user"], "b")
		prefix := azcosmos.NewPartitionKeyString("t")
		found := rows[string](tree, "SELECT VALUE c.id FROM c", prefix, nil)
		sort.Strings(found)
		same(found, []string{"a", "b"})
	})
}

func (p *programme) container(
	id string, paths []string, rate *azcosmos.ThroughputProperties,
) *azcosmos.ContainerClient {
	properties := azcosmos.ContainerProperties{
		ID:                     id,
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: paths, Version: 2},
	}
	options := &azcosmos.CreateContainerOptions{ThroughputProperties: rate}
	must(p.database.CreateContainer(always, properties, options))
	return must(p.database.NewContainer(id))
}

func (p *programme) write() {
	step("create items", func() {
		for number := 0; number < 80; number++ {
			country := countries[number%8]
			id := fmt.Sprintf("i%d", number)
			tags := []string{"new"}
			body := encode(object{"id": id, "country": country, "n": number, "tags": tags})
			must(p.items.CreateItem(always, key(country), body, nil))
		}
	})
	step("read item", func() { same(p.read("i9", "be")["n"], 9.0) })
	step("upsert item", func() {
		must(p.items.UpsertItem(always, key("at"), item("u", "at", 1), nil))
		found := must(p.items.UpsertItem(always, key("at"), item("u", "at", 2), answering))
		same(decode(found.Value)["n"], 2.0)
	})
	step("replace item", func() {
		must(p.items.ReplaceItem(always, key("at"), "u", item("u", "at", 3), nil))
		same(p.read("u", "at")["n"], 3.0)
	})
	step("conditional replace, 412", func() {
		before := must(p.items.ReadItem(always, key("at"), "u", nil)).ETag
		condition := &azcosmos.ItemOptions{IfMatchEtag: &before}
		must(p.items.ReplaceItem(always, key("at"), "u", item("u", "at", 4), condition))
		_, err := p.items.ReplaceItem(always, key("at"), "u", item("u", "at", 5), condition)
		refused(err, 412)
	})
	step("delete item, 404", func() {
		must(p.items.DeleteItem(always, key("at"), "u", nil))
		_, err := p.items.ReadItem(always, key("at"), "u", nil)
		refused(err, 404)
	})
	step("create twice, 409", func() {
		_, err := p.items.CreateItem(always, key("at"), item("i0", "at", 0), nil)
		refused(err, 409)
	})
}

func (p *programme) patch() {
	step("patch", func() {
		operations := azcosmos.PatchOperations{}
		operations.AppendSet("/colour", "red")
		operations.AppendAdd("/tags/-", "old")
		operations.AppendRemove("/n")
		operations.AppendAdd("/visits", 1)
		operations.AppendIncrement("/visits", 4)
		answer := must(p.items.PatchItem(always, key("at"), "i0", operations, answering))
		found := decode(answer.Value)
		same(found["colour"], "red")
		same(found["tags"], []any{"new", "old"})
		same(found["visits"], 5.0)
		same(found["n"], nil)
	})
	step("patch with condition, 412", func() {
		more := azcosmos.PatchOperations{}
		more.AppendIncrement("/visits", 1)
		more.SetCondition("FROM c WHERE c.visits = 5")
		must(p.items.PatchItem(always, key("at"), "i0", more, nil))
		_, err := p.items.PatchItem(always, key("at"), "i0", more, nil)
		refused(err, 412)
	})
}

func (p *programme) query() {
	step("query in one partition", func() {
		text := "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n"
		found := rows[int](p.items, text, key("be"), nil)
		same(found, []int{25, 33, 41, 49, 57, 65, 73})
	})
	step("query across partitions", func() {
		everywhere := azcosmos.NewPartitionKey()
		found := rows[int](p.items, "SELECT VALUE c.n FROM c WHERE c.n < 6", everywhere, nil)
		sort.Ints(found)
		same(found, []int{1, 2, 3, 4, 5})
	})
	step("query aggregates in one partition", func() {
		same(rows[int](p.items, "SELECT VALUE COUNT(1) FROM c", key("be"), nil), []int{10})
		same(rows[int](p.items, "SELECT VALUE SUM(c.n) FROM c", key("be"), nil), []int{370})
	})
	step("query GROUP BY in one partition", func() {
		text := "SELECT c.country, COUNT(1) AS c FROM c GROUP BY c.country"
		found := rows[object](p.items, text, key("be"), nil)
		same(found, []object{{"country": "be", "c": 10.0}})
	})
	step("query with parameters", func() {
		options := &azcosmos.QueryOptions{QueryParameters: []azcosmos.QueryParameter{
			{Name: "@n", Value: 17}, {Name: "@tag", Value: "new"},
		}}
		text := "SELECT VALUE c.id FROM c WHERE c.n = @n AND ARRAY_CONTAINS(c.tags, @tag)"
		same(rows[string](p.items, text, key("be"), options), []string{"i17"})
	})
	step("query page by page with continuation", p.paging)
	step("read many", func() {
		wanted := []azcosmos.ItemIdentity{{ID: "nobody", PartitionKey: key("at")}}
		for n := 0; n < 80; n += 3 {
			wanted = append(wanted, azcosmos.ItemIdentity{
				ID: fmt.Sprintf("i%d", n), PartitionKey: key(countries[n%8]),
			})
		}
		same(len(must(p.items.ReadManyItems(always, wanted, nil)).Items), 27)
	})
}

func (p *programme) paging() {
	var continuation *string
	var found []int
	for {
		options := &azcosmos.QueryOptions{PageSizeHint: 3, ContinuationToken: continuation}
		pager := p.items.NewQueryItemsPager("SELECT VALUE c.n FROM c", key("be"), options)
		page := must(pager.NextPage(always))
		same(len(page.Items) <= 3, true)
		for _, row := range page.Items {
			found = append(found, read[int](row))
		}
		continuation = page.ContinuationToken
		if continuation == nil || *continuation == "" {
			break
		}
	}
	sort.Ints(found)
	same(found, []int{1, 9, 17, 25, 33, 41, 49, 57, 65, 73})
}

func (p *programme) batch() {
	step("transactional batch", func() {
		batch := p.items.NewTransactionalBatch(key("ch"))
		increment := azcosmos.PatchOperations{}
		increment.AppendIncrement("/n", 1)
		batch.CreateItem(item("b1", "ch", 100), nil)
		batch.UpsertItem(item("b2", "ch", 101), nil)
		batch.ReadItem("b1", nil)
		batch.PatchItem("b2", increment, nil)
		batch.DeleteItem("b1", nil)
		answer := must(p.items.ExecuteTransactionalBatch(always, batch, nil))
		same(answer.Success, true)
		same(codes(answer), []int32{201, 201, 200, 200, 204})
		same(p.read("b2", "ch")["n"], 102.0)
	})
	step("transactional batch, rolled back", func() {
		batch := p.items.NewTransactionalBatch(key("ch"))
		batch.CreateItem(item("b3", "ch", 0), nil)
		batch.CreateItem(item("b2", "ch", 0), nil)
		answer := must(p.items.ExecuteTransactionalBatch(always, batch, nil))
		same(answer.Success, false)
		same(codes(answer), []int32{424, 409})
		_, err := p.items.ReadItem(always, key("ch"), "b3", nil)
		refused(err, 404)
	})
}

func (p *programme) feed() {
	whole := azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}
	var continuation string
	step("change feed from the beginning", func() {
		var names []string
		names, continuation = p.drain(azcosmos.ChangeFeedOptions{FeedRange: &whole})
		same(len(names), 81)
	})
	step("change feed with continuation", func() {
		must(p.items.UpsertItem(always, key("gr"), item("later", "gr", 0), nil))
		names, _ := p.drain(azcosmos.ChangeFeedOptions{Continuation: &continuation})
		same(names, []string{"later"})
	})
	step("change feed per feed range", func() {
		seen := map[string]bool{}
		count := 0
		for _, feedRange := range must(p.items.ReadFeedRanges(always, nil)) {
			names, _ := p.drain(azcosmos.ChangeFeedOptions{FeedRange: &feedRange})
			for _, name := range names {
				seen[name] = true
				count++
			}
		}
		same([]int{len(seen), count}, []int{82, 82})
	})
}

// drain reads until there is nothing more; the names, and where to go on from.
func (p *programme) drain(options azcosmos.ChangeFeedOptions) ([]string, string) {
	var names []string
	for {
		page := must(p.items.ReadChangeFeed(always, &options))
		for _, change := range page.Items {
			names = append(names, decode(change)["id"].(string))
		}
		token := page.ContinuationToken
		if len(page.Items) == 0 {
			return names, token
		}
		options.Continuation = &token
	}
}

func (p *programme) throughput() {
	step("read and replace throughput", func() {
		before := must(p.items.ReadThroughput(always, nil)).ThroughputProperties
		rate, _ := before.ManualThroughput()
		same(rate, int32(21000))
		wanted := azcosmos.NewManualThroughputProperties(22000)
		after := must(p.items.ReplaceThroughput(always, wanted, nil)).ThroughputProperties
		rate, _ = after.ManualThroughput()
		same(rate, int32(22000))
	})
	step("autoscale throughput", func() {
		wanted := azcosmos.NewAutoscaleThroughputProperties(4000)
		auto := p.container("auto", []string{"/id"}, &wanted)
		found := must(auto.ReadThroughput(always, nil)).ThroughputProperties
		rate, _ := found.AutoscaleMaxThroughput()
		same(rate, int32(4000))
	})
}

func (p *programme) read(id, country string) object {
	return decode(must(p.items.ReadItem(always, key(country), id, nil)).Value)
}

// rows gives all rows of a query.
func rows[T any](
	from *azcosmos.ContainerClient, text string, in azcosmos.PartitionKey,
	options *azcosmos.QueryOptions,
) []T {
	var found []T
	for pager := from.NewQueryItemsPager(text, in, options); pager.More(); {
		for _, row := range must(pager.NextPage(always)).Items {
			found = append(found, read[T](row))
		}
	}
	return found
}

func codes(answer azcosmos.TransactionalBatchResponse) []int32 {
	var found []int32
	for _, result := range answer.OperationResults {
		found = append(found, result.StatusCode)
	}
	return found
}

func key(country string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(country) }

func item(id, country string, n int) []byte {
	return encode(object{"id": id, "country": country, "n": n})
}

func encode(body object) []byte { return must(json.Marshal(body)) }

func decode(body []byte) object { return read[object](body) }

func read[T any](body []byte) T {
	var found T
	if err := json.Unmarshal(body, &found); err != nil {
		panic(err)
	}
	return found
}

func step(name string, run func()) {
	defer func() {
		if problem := recover(); problem != nil {
			why := strings.Join(strings.Fields(fmt.Sprint(problem)), " ")
			fmt.Printf("%s\t%.400s\n", name, why)
		} else {
			fmt.Printf("%s\tok\n", name)
		}
	}()
	run()
}

func must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}

func same(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("found %v, expected %v", found, expected))
	}
}

// refused checks that the operation failed with the SDK's own type and that status.
func refused(err error, status int) {
	var response *azcore.ResponseError
	if !errors.As(err, &response) {
		panic(fmt.Sprintf("was not refused with %d: %v", status, err))
	}
	same(response.StatusCode, status)
}
