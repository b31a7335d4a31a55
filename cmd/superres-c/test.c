//go:build ignore

/* The test of the C library, which library_test.go compiles and runs: test PICTURE OPTIONS RESULT PIXELS. It writes the
 * file PICTURE enlarged by several threads to RESULT, and a picture of its own to PIXELS, and checks the refusals. */
#include "superres.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define WIDTH 24
#define HEIGHT 16
#define GAP 5

static void fail(const char *what, int code, const char *message)
{
	fprintf(stderr, "%s: %d, %s\n", what, code, message ? message : "no message");
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		fail(name, 0, "cannot be opened");
	*size = ftell(f);
	rewind(f);
	uint8_t *data = malloc(*size);
	if (fread(data, 1, *size, f) != *size)
		fail(name, 0, "cannot be read");
	fclose(f);
	return data;
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	FILE *f = fopen(name, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		fail(name, 0, "cannot be written");
}

struct call {
	pthread_t thread;
	const uint8_t *file;
	size_t size;
	const char *options;
	uint8_t *result;
	size_t result_size;
};

static void *enlarge(void *argument)
{
	struct call *c = argument;
	char *message;
	int code = superres_upscale_file(c->file, c->size, c->options, &c->result, &c->result_size, &message);
	if (code || message)
		fail("superres_upscale_file", code, message);
	return NULL;
}

/* expect checks the code and the message of a call that is refused. */
static void expect(int code, int want, char **message, const char *part)
{
	if (code != want || !*message || !strstr(*message, part))
		fail(part, code, *message);
	superres_free(*message);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		fail("usage: test PICTURE OPTIONS RESULT PIXELS", 2, "");
	struct call calls[THREADS];
	size_t size;
	uint8_t *file = read_file(argv[1], &size);
	for (int i = 0; i < THREADS; i++) {
		calls[i] = (struct call){.file = file, .size = size, .options = argv[2]};
		if (pthread_create(&calls[i].thread, NULL, enlarge, &calls[i]))
			fail("pthread_create", 0, "");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(calls[i].thread, NULL);
		if (calls[i].result_size != calls[0].result_size || memcmp(calls[i].result, calls[0].result, calls[0].result_size))
			fail("a thread has another result", i, "");
	}
	write_file(argv[3], calls[0].result, calls[0].result_size);
	for (int i = 0; i < THREADS; i++)
		superres_free(calls[i].result);

	/* The pixels of a picture with gaps between the rows. */
	static uint8_t pixels[HEIGHT][3 * WIDTH + GAP];
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			pixels[y][3 * x] = 10 * x;
			pixels[y][3 * x + 1] = 15 * y;
			pixels[y][3 * x + 2] = x < y ? 200 : 20;
		}
	uint8_t *result;
	int w, h;
	char *message;
	int code = superres_upscale_pixels(pixels[0], sizeof pixels[0], WIDTH, HEIGHT, 3, "scale=3", &result, &w, &h, &message);
	if (code || w != 3 * WIDTH || h != 3 * HEIGHT)
		fail("superres_upscale_pixels", code, message);
	write_file(argv[4], result, (size_t)w * h * 3);
	superres_free(result);
	static const int channels[] = {1, 4};
	for (int i = 0; i < 2; i++) {
		code = superres_upscale_pixels(pixels[0], sizeof pixels[0], 12, 9, channels[i], NULL, &result, &w, &h, NULL);
		if (code || w != 24 || h != 18)
			fail("1 or 4 channels", code, NULL);
		superres_free(result);
	}

	size_t n;
	expect(superres_upscale_file(file, size / 2, "", &result, &n, &message), 4, &message, "picture");
	if (result || n)
		fail("a failure has a result", 0, "");
	expect(superres_upscale_file(file, size, "scale=99", &result, &n, &message), 2, &message, "expected 1 to 16");
	expect(superres_upscale_file(file, size, "scael=2", &result, &n, &message), 2, &message, "did you mean \"scale\"");
	expect(superres_upscale_file(file, size, "model=none", &result, &n, &message), 6, &message, "none");
	expect(superres_upscale_file(file, size, "max-memory=1", &result, &n, &message), 7, &message, "the limit is");
	expect(superres_upscale_file(NULL, size, "", &result, &n, &message), 2, &message, "NULL");
	expect(superres_upscale_pixels(pixels[0], 3, WIDTH, 1, 3, "", &result, &w, &h, &message), 2, &message, "stride");
	expect(superres_upscale_pixels(pixels[0], 3, 1, 1, 2, "", &result, &w, &h, &message), 2, &message, "channels");
	expect(superres_upscale_pixels(pixels[0], 99, 9, 9, 3, "max-memory=1", &result, &w, &h, &message), 7, &message, "limit");
	/* What takes too much memory is refused before a pixel is read: there is one. */
	expect(superres_upscale_pixels(pixels[0], 120000, 40000, 40000, 3, "", &result, &w, &h, &message), 7, &message, "limit");
	superres_free(NULL);
	free(file);
	puts(superres_version());
	return 0;
}
