// The subgraph inventory, a gqlgen server with subscriptions over graphql-ws.
package main

//go:generate go tool gqlgen generate

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"inventory/graph"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

var stock = map[string]int{"LAMP-1": 7}

type resolver struct{}

func (r *resolver) Entity() graph.EntityResolver             { return r }
func (r *resolver) Product() graph.ProductResolver           { return r }
func (r *resolver) Query() graph.QueryResolver               { return r }
func (r *resolver) Subscription() graph.SubscriptionResolver { return r }

func (r *resolver) FindProductBySku(_ context.Context, sku string) (*graph.Product, error) {
	return &graph.Product{Sku: sku}, nil
}

func (r *resolver) Stock(_ context.Context, product *graph.Product) (*int, error) {
	if product.Stock != nil {
		return product.Stock, nil
	}
	count, known := stock[product.Sku]
	if !known {
		return nil, &gqlerror.Error{Message: product.Sku + " is not in the warehouse", Extensions: map[string]any{"code": "UNKNOWN_SKU"}}
	}
	return &count, nil
}

func (r *resolver) Warehouse(context.Context) (string, error) { return "Rotterdam", nil }

func (r *resolver) StockChanged(ctx context.Context, sku string) (<-chan *graph.Product, error) {
	events := make(chan *graph.Product)
	go func() {
		defer close(events)
		for count := stock[sku]; count >= 0; count-- {
			select {
			case events <- &graph.Product{Sku: sku, Stock: &count}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, nil
}

func main() {
	server := handler.New(graph.NewExecutableSchema(graph.Config{Resolvers: &resolver{}}))
	server.AddTransport(transport.POST{})
	server.AddTransport(transport.Websocket{})
	http.Handle("/graphql", server)
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4103"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/graphql\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
