"""Testcontainers for Python, with the extra "cosmosdb". Port 8081 of this machine has to be free."""

import pytest
from azure.cosmos import CosmosClient, PartitionKey
from testcontainers.cosmosdb import CosmosDBNoSQLEndpointContainer


@pytest.fixture(scope="module")
def client():
    with CosmosDBNoSQLEndpointContainer(image="orrery:0.1.0") as cosmos:
        with CosmosClient(cosmos.url, cosmos.key, connection_verify=False) as client:
            yield client


def test_an_order_is_found_again(client):
    database = client.create_database_if_not_exists("shop")
    orders = database.create_container_if_not_exists("orders", PartitionKey("/customerId"))
    orders.create_item({"id": "1", "customerId": "ada", "total": 12.5})
    assert orders.read_item("1", "ada")["total"] == 12.5
