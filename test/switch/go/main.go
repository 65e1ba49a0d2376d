// An application with the official Go SDK that goes on through a switch of names.
//
// It goes by the key /pk all the time. Each line on standard output is a word, a tab and more:
// "round" when one is over, "failed" with a call and what came of it, "kept" with an item that was
// acknowledged.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

type item struct {
	ID     string `json:"id"`
	Pk     string `json:"pk"`
	Tenant string `json:"tenant"`
	N      int    `json:"n"`
}

var (
	always = context.Background()
	kept   = map[string]int{}
	seen   = map[string]bool{}
	items  *azcosmos.ContainerClient
	feed   = azcosmos.ChangeFeedOptions{FeedRange: &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}}
)

func main() {
	credential, err := azcosmos.NewKeyCredential(os.Getenv("COSMOS_KEY"))
	expect(err)
	client, err := azcosmos.NewClientWithKey(os.Getenv("COSMOS_ENDPOINT"), credential, nil)
	expect(err)
	items, err = client.NewContainer("d", "c")
	expect(err)
	_, err = items.Read(always, nil)
	expect(err)
	rounds, err := strconv.Atoi(os.Getenv("SWITCH_ROUNDS"))
	expect(err)
	for round := 0; round < rounds; round++ {
		oneRound(round)
		if round%5 == 0 {
			readChanges()
		}
		fmt.Printf("round\t%d\n", round)
	}
	readChanges()
	for id, n := range kept {
		if !seen[id] {
			fail("change feed", id+" did not come")
		}
		fmt.Printf("kept\t%s\t%d\n", id, n)
	}
}

func oneRound(round int) {
	one := item{fmt.Sprintf("a%d", round), fmt.Sprintf("p%d", round%5), fmt.Sprintf("t%d", round%7), 0}
	key := azcosmos.NewPartitionKeyString(one.Pk)
	_, err := items.CreateItem(always, key, encode(one), nil)
	wrote("create", one, err)
	found, err := items.ReadItem(always, key, one.ID, nil)
	if attempt("read", err) {
		same("read", number(found.Value), 0)
	}
	one.N = 1
	_, err = items.ReplaceItem(always, key, one.ID, encode(one), nil)
	wrote("replace", one, err)
	one.N = 2
	_, err = items.UpsertItem(always, key, encode(one), nil)
	wrote("upsert", one, err)
	one.N = 3
	change := azcosmos.PatchOperations{}
	change.AppendIncrement("/n", 1)
	_, err = items.PatchItem(always, key, one.ID, change, nil)
	wrote("patch", one, err)
	query("query by key", one, key)
	query("query across partitions", one, azcosmos.NewPartitionKey())
	passing := one
	passing.ID = fmt.Sprintf("b%d", round)
	_, err = items.CreateItem(always, key, encode(passing), nil)
	wrote("create", passing, err)
	_, err = items.DeleteItem(always, key, passing.ID, nil)
	if attempt("delete", err) {
		delete(kept, passing.ID)
		_, err = items.ReadItem(always, key, passing.ID, nil)
		if err == nil {
			fail("read what is deleted", "it is there")
		}
	}
	together(round, one, key)
}

// readChanges reads until there are no more, from where it was the last time.
func readChanges() {
	for {
		page, err := items.ReadChangeFeed(always, &feed)
		if !attempt("change feed", err) {
			return
		}
		feed.Continuation = &page.ContinuationToken
		for _, row := range page.Items {
			var one item
			expect(json.Unmarshal(row, &one))
			seen[one.ID] = true
		}
		if len(page.Items) == 0 {
			return
		}
	}
}

func together(round int, one item, key azcosmos.PartitionKey) {
	batch := items.NewTransactionalBatch(key)
	for _, side := range []string{"x", "y"} {
		other := item{fmt.Sprintf("%s%d", side, round), one.Pk, one.Tenant, 7}
		batch.CreateItem(encode(other), nil)
	}
	answer, err := items.ExecuteTransactionalBatch(always, batch, nil)
	if !attempt("batch", err) {
		return
	}
	if !answer.Success {
		fail("batch", fmt.Sprint(answer.OperationResults))
		return
	}
	kept[fmt.Sprintf("x%d", round)] = 7
	kept[fmt.Sprintf("y%d", round)] = 7
}

func query(name string, one item, key azcosmos.PartitionKey) {
	text := "SELECT * FROM c WHERE c.id = @id"
	options := azcosmos.QueryOptions{
		QueryParameters: []azcosmos.QueryParameter{{Name: "@id", Value: one.ID}},
	}
	count := 0
	for pager := items.NewQueryItemsPager(text, key, &options); pager.More(); {
		page, err := pager.NextPage(always)
		if !attempt(name, err) {
			return
		}
		for _, row := range page.Items {
			same(name, number(row), one.N)
			count++
		}
	}
	same(name+", rows", count, 1)
}

func encode(one item) []byte {
	text, err := json.Marshal(one)
	expect(err)
	return text
}

func number(text []byte) int {
	var one item
	expect(json.Unmarshal(text, &one))
	return one.N
}

func wrote(name string, one item, err error) {
	if attempt(name, err) {
		kept[one.ID] = one.N
	}
}

func attempt(name string, err error) bool {
	if err != nil {
		fail(name, err.Error())
	}
	return err == nil
}

func same(name string, found, expected int) {
	if found != expected {
		fail(name, fmt.Sprintf("found %d, expected %d", found, expected))
	}
}

func fail(name, why string) {
	line := strings.NewReplacer("\n", " ", "\t", " ").Replace(why)
	fmt.Printf("failed\t%s\t%.400s\n", name, line)
}

func expect(err error) {
	if err != nil {
		panic(err)
	}
}
