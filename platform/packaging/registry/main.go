// Command registry is CNCF Distribution with the one storage driver and the one access controller of our configuration
// (roles/registry/templates/distribution/config.yml.j2). The upstream main brings the clients of three clouds.
package main

import (
	"os"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

func main() {
	if err := registry.RootCmd.Execute(); err != nil {
		os.Exit(1)
	}
}
