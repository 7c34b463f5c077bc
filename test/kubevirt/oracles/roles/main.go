// Prints the cluster roles that KubeVirt installs for its users, one answer per line of input.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"

	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/rbac"
)

func main() {
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		roles := map[string][]rbacv1.PolicyRule{}
		for _, object := range rbac.GetAllCluster() {
			if role, ok := object.(*rbacv1.ClusterRole); ok {
				roles[role.Name] = role.Rules
			}
		}
		if err := out.Encode(roles); err != nil {
			panic(err)
		}
	}
}
