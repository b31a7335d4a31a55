package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// makeImage makes the image of a container for docker load and podman load: a tar file that is an image layout of the
// OCI and has the file manifest.json beside it, by which versions of Docker before 25 find their way. In the image are
// the program, the licences, and a folder for temporary files. It runs superres serve as a user without rights.
//
// Note: an image for each processor, since one tar file with two would be loaded as either, or not at all, by programs
// that know manifest.json only.
func makeImage(r release, p program) (name string, data []byte, err error) {
	fs := slices.Concat(tree{{"superres", 0o755, p.data}, {"licenses/superres/LICENSE", 0o644, r.licence},
		{"models/README", 0o644, []byte("Mount a folder here for models of your own: superres models add.\n")},
		{"tmp/.keep", 0o644, nil}}, p.licenceTree().in("licenses"))
	unpacked, err := fs.tar("", r.time, map[string]int64{"tmp": 0o1777})
	if err != nil {
		return "", nil, err
	}
	layer, err := compress(unpacked)
	if err != nil {
		return "", nil, err
	}
	blobs := tree{}
	add := func(mediaType string, data []byte) descriptor {
		d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
		blobs = append(blobs, file{blobName(d), 0o644, data})
		return d
	}
	layerAt := add("application/vnd.oci.image.layer.v1.tar+gzip", layer)
	terms, err := p.expressions()
	if err != nil {
		return "", nil, err
	}
	config := configOf(r, p.arch, terms[""], digest(unpacked))
	configAt := add("application/vnd.oci.image.config.v1+json", toJSON(config))
	manifestAt := add(manifestType, toJSON(manifest{2, manifestType, configAt, []descriptor{layerAt}}))
	tag := "superres:" + r.version
	manifestAt.Annotations = map[string]string{
		"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/" + tag}
	index := imageIndex{2, "application/vnd.oci.image.index.v1+json", []descriptor{manifestAt}}
	forDocker := []any{map[string]any{"Config": blobName(configAt), "RepoTags": []string{tag},
		"Layers": []string{blobName(layerAt)}}}
	data, err = append(blobs, file{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		file{"index.json", 0o644, toJSON(index)}, file{"manifest.json", 0o644, toJSON(forDocker)}).tar("", r.time, nil)
	return fmt.Sprintf("superres-%s-image-%s.tar", r.version, p.arch), data, err
}

// descriptor, manifest, imageIndex and imageConfig are by the OCI Image Format Specification 1.1.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

const manifestType = "application/vnd.oci.image.manifest.v1+json"

type imageIndex struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

type imageConfig struct {
	Created      time.Time      `json:"created"`
	Architecture string         `json:"architecture"`
	Variant      string         `json:"variant,omitempty"`
	OS           string         `json:"os"`
	Config       map[string]any `json:"config"`
	RootFS       rootFS         `json:"rootfs"`
	History      []history      `json:"history"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type history struct {
	Created   time.Time `json:"created"`
	CreatedBy string    `json:"created_by"`
}

// configOf returns how the image is run. terms is an SPDX licence expression, layer the digest of the layer, unpacked.
func configOf(r release, arch, terms, layer string) imageConfig {
	const address = "0.0.0.0:8020"
	check := []string{"CMD", "/superres", "serve", "--check", "--listen", address}
	variant := map[string]string{"arm64": "v8"}[arch]
	return imageConfig{Created: r.time, Architecture: arch, Variant: variant, OS: "linux", Config: map[string]any{
		"User": "65532:65532", "ExposedPorts": map[string]any{"8020/tcp": struct{}{}},
		"Env":        []string{"PATH=/", "HOME=/tmp", "SUPERRES_MODELS=/models"},
		"Entrypoint": []string{"/superres"}, "Cmd": []string{"serve", "--listen", address}, "WorkingDir": "/tmp",
		"StopSignal": "SIGTERM",
		"Labels": map[string]string{
			"org.opencontainers.image.title": "superres", "org.opencontainers.image.description": summary,
			"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": terms,
			"org.opencontainers.image.url": r.url},
		// Not of the OCI, but of Docker, and read by podman: seconds in nanoseconds.
		"Healthcheck": map[string]any{"Test": check, "Interval": 30 * time.Second, "Timeout": 5 * time.Second,
			"StartPeriod": 2 * time.Second, "Retries": 3},
	}, RootFS: rootFS{"layers", []string{layer}}, History: []history{{r.time, ".ci/release"}}}
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// blobName returns the name of a blob in an image layout.
func blobName(d descriptor) string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }

// toJSON returns v as JSON. v has texts and numbers alone, which cannot fail.
func toJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
