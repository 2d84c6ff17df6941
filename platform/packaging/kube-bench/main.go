// Command kube-bench runs kube-bench's checks of this node and prints what each found, as JSON.
//
// Its arguments are the parts of the benchmark (master, etcd, controlplane, node, policies). What differs from
// kube-bench's own command: where files and programs are is known, not guessed, and nothing is asked of a cloud.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	kubebench "github.com/aquasecurity/kube-bench"
	"github.com/aquasecurity/kube-bench/check"
	"gopkg.in/yaml.v2"
)

const (
	benchmark   = "cfg/cis-1.12"
	kubeletConf = "/var/lib/kubelet/config.yaml"
	kubeletMore = "/etc/atoll/kubelet.d/*.conf"
	settings    = "kubelet-settings"
)

// No name is the beginning of another one.
var places = strings.NewReplacer(
	"$apiserverbin", "kube-apiserver",
	"$apiserverconf", "/etc/kubernetes/manifests/kube-apiserver.yaml",
	"$controllermanagerbin", "kube-controller-manager",
	"$controllermanagerconf", "/etc/kubernetes/manifests/kube-controller-manager.yaml",
	"$controllermanagerkubeconfig", "/etc/kubernetes/controller-manager.conf",
	"$etcdbin", "etcd",
	"$etcdconf", "/etc/kubernetes/manifests/etcd.yaml",
	"$etcddatadir", "/var/lib/etcd",
	"$kubeletbin", "kubelet",
	"$kubeletcafile", "/etc/kubernetes/pki/ca.crt",
	"/bin/cat $kubeletconf", "/opt/atoll/bin/kube-bench "+settings, // kubelet reads more than that file
	"$kubeletconf", kubeletConf,
	"$kubeletkubeconfig", "/etc/kubernetes/kubelet.conf",
	"$kubeletsvc", "/etc/systemd/system/kubelet.service",
	"$proxybin", "kube-proxy",
	"$proxykubeconfig", "/var/lib/kube-proxy/kubeconfig.conf",
	"$schedulerbin", "kube-scheduler",
	"$schedulerconf", "/etc/kubernetes/manifests/kube-scheduler.yaml",
	"$schedulerkubeconfig", "/etc/kubernetes/scheduler.conf",
)

type finding struct {
	ID     string `json:"id"`
	Part   string `json:"part"`
	Text   string `json:"text"`
	State  string `json:"state"` // passed, failed, manual
	Seen   string `json:"seen"`
	Wanted string `json:"wanted"`
	Remedy string `json:"remedy"`
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == settings {
		if err := printSettings(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	found := []finding{}
	for _, part := range os.Args[1:] {
		more, err := run(part)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		found = append(found, more...)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(part string) ([]finding, error) {
	text, err := kubebench.Benchmark.ReadFile(path.Join(benchmark, part+".yaml"))
	if err != nil {
		return nil, err
	}
	controls, err := check.NewControls(check.NodeType(part), []byte(places.Replace(string(text))), "")
	if err != nil {
		return nil, err
	}
	for _, group := range controls.Groups {
		for _, one := range group.Checks {
			// Policies are for people to judge, all of them; what they are judged by is asked with programs that nodes lack.
			if one.Tests == nil || part == string(check.POLICIES) {
				one.Type = check.MANUAL
			}
		}
	}
	every := func(*check.Group, *check.Check) bool { return true }
	controls.RunChecks(check.NewRunner(), every, nil)
	found := []finding{}
	for _, group := range controls.Groups {
		for _, one := range group.Checks {
			found = append(found, finding{
				ID: one.ID, Part: part, Text: one.Text, State: state(one), Seen: seen(one),
				Wanted: one.ExpectedResult, Remedy: strings.TrimSpace(one.Remediation),
			})
		}
	}
	return found, nil
}

// state says what came of a check. One that kube-bench does not score, but could answer, counts like every other.
func state(one *check.Check) string {
	switch {
	case one.Type == check.MANUAL:
		return "manual"
	case one.State == check.PASS:
		return "passed"
	default:
		return "failed"
	}
}

// seen is why a check is not answered, or what it saw; whole files and command lines are cut.
func seen(one *check.Check) string {
	text := strings.TrimSpace(one.ActualValue)
	if one.Reason != "" {
		text = one.Reason
	}
	if len(text) > 300 {
		return text[:300] + "…"
	}
	return text
}

// printSettings prints what the kubelet is set to: its file and those that are laid over it, in their order.
func printSettings() error {
	more, err := filepath.Glob(kubeletMore)
	if err != nil {
		return err
	}
	all := map[string]any{}
	for _, file := range append([]string{kubeletConf}, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		// Decoding into a map that has keys keeps those that the text does not name.
		if err := yaml.Unmarshal(text, &all); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}
