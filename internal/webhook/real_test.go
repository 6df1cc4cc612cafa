package webhook

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const realURL = "WEBHOOK_TEST_URL" // makes this binary send there, with nothing replaced

func TestMain(m *testing.M) {
	if u := os.Getenv(realURL); u != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := (Request{URL: u, Body: []byte("{}")}).Send(ctx, os.Stdout); err != nil {
			fmt.Println(err)
		}
		return
	}
	os.Exit(m.Run())
}

// sendForReal is what Send tells in a process of its own: the system's
// resolver and certificates, and the proxy of the environment.
func sendForReal(t *testing.T, u string, env ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(append(command.Env, realURL+"="+u), env...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestPlainToThisMachineForReal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1"} {
		// No proxy for this: it would see what only this machine may.
		out := sendForReal(t, "http://"+host+":"+port+"/s3cret", "HTTP_PROXY=http://192.0.2.1:1", "NO_PROXY=")
		if want := "POST http://" + host + ":" + port + "/...: 200 OK after "; !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("Send says %q, want %q", out, want)
		}
	}
}

func TestTLSForReal(t *testing.T) {
	t.Parallel()
	server, _ := receiver(t, func(http.ResponseWriter, *http.Request) {})
	if out := sendForReal(t, server.URL); !strings.Contains(out, "x509: ") {
		t.Errorf("Send says %q to a server that nobody vouches for", out)
	}
	if out := sendForReal(t, server.URL, trust(t, server)); !strings.Contains(out, "200 OK") {
		t.Errorf("Send says %q to a server that is vouched for", out)
	}
}

func TestProxyForReal(t *testing.T) {
	t.Parallel()
	server, _ := receiver(t, func(http.ResponseWriter, *http.Request) {})
	var connected atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connected.Add(1)
		if r.Method != http.MethodConnect || r.Host != "example.com:443" || r.Header.Get("Proxy-Authorization") == "" {
			t.Errorf("the proxy is asked to %s %s, %v", r.Method, r.Host, r.Header)
		}
		tunnel(t, w, server.Listener.Addr().String())
	}))
	defer proxy.Close()
	env := []string{trust(t, server), "HTTPS_PROXY=" + strings.Replace(proxy.URL, "//", "//u:s3cret@", 1)}

	out := sendForReal(t, "https://example.com/s3cret", env...)
	if want := "POST https://example.com/...: 200 OK after "; !strings.HasPrefix(out, want) || connected.Load() != 1 {
		t.Errorf("Send says %q after %d connections, want %q after 1", out, connected.Load(), want)
	}
	for _, u := range []string{"https://169.254.169.254/", "https://[::ffff:a9fe:a9fe]/", "https://169.254.169.254./", "https://2852039166/"} {
		if out := sendForReal(t, u, env...); !strings.HasPrefix(out, "URL: ") {
			t.Errorf("Send(%s) says %q", u, out)
		}
	}
	out = sendForReal(t, server.URL, append(env, "NO_PROXY=127.0.0.1")...)
	if !strings.Contains(out, "200 OK") || connected.Load() != 1 {
		t.Errorf("Send says %q after %d connections to the proxy, want one", out, connected.Load())
	}
}

// trust makes a server's certificate one of the system's.
func trust(t *testing.T, server *httptest.Server) string {
	t.Helper()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("crypto/x509 reads SSL_CERT_FILE on other systems only")
	}
	file := filepath.Join(t.TempDir(), "roots.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return "SSL_CERT_FILE=" + file
}

// tunnel is what a proxy does after CONNECT.
func tunnel(t *testing.T, w http.ResponseWriter, address string) {
	target, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer target.Close()
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	go func() { _, _ = io.Copy(target, buffered); _ = target.Close() }()
	_, _ = io.Copy(client, target)
}
