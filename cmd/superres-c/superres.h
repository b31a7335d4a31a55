/*
 * superres: enlarge pictures sharply, without a GPU, to the same bytes every time.
 *
 * Every function may be called from any thread, and by several at a time; each call uses all processors. The library
 * installs no handlers but those that the Go runtime needs, which pass on signals that are not its own, and it must not
 * be unloaded. A process that forks must call exec before it calls the library.
 *
 * Options are a query, name=value pairs with & between them, in which %, & and + of values are escaped as in a URL:
 * "scale=3&effort=fast". NULL and "" mean that all have their defaults, which double the size.
 *
 *   scale       1 to 16, 1.5, or 300%; or width, height, or both; or fit=800x600: as large as fits into that
 *   region      X,Y,W,H: the part to enlarge, in pixels of the picture (of files alone)
 *   model       auto, photo, photo-real, coupled, digits, bicubic, lanczos, nearest
 *   effort      fast, best, max
 *   denoise     auto, or 0 to 1
 *   strength    0 to 1.3
 *   max-memory  the estimated memory that a picture may take, in MiB; 2048 if it is not given
 *
 * and, for files, format, quality, depth, metadata (keep, strip), provenance (true, false), first-frame (true, false),
 * as the program superres describes them: superres upscale --help all.
 *
 * The functions return 0, or what the program returns as its exit code: 2 for options, 4 for the input, 5 for a result
 * that cannot be written as a file of its format, 6 for the model, 7 for a limit, 1 for anything else. Where *message
 * is not NULL after a failure, it is one line in UTF-8 that says the fault and what to do. Results and messages
 * belong to the caller, who frees them with superres_free. message may be NULL.
 */
#ifndef SUPERRES_H
#define SUPERRES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * superres_upscale_file enlarges a picture file, such as PNG or JPEG, of size bytes, and sets *result and *result_size
 * to the file of the result: the bytes that the program makes. The file may be damaged or hostile.
 */
int superres_upscale_file(const uint8_t *file, size_t size, const char *options,
	uint8_t **result, size_t *result_size, char **message);

/*
 * superres_upscale_pixels enlarges a picture of width×height pixels of 8 bits a channel in sRGB: channels is 1 for
 * grey, 3 for red, green and blue, 4 for these and alpha, which is not premultiplied. A row begins stride bytes after
 * the row before it. *result is a picture of *result_width×*result_height pixels with the same channels, with rows that
 * follow each other without gaps: the pixels that superres_upscale_file makes of a PNG file of the picture.
 */
int superres_upscale_pixels(const uint8_t *pixels, size_t stride, int width, int height, int channels,
	const char *options, uint8_t **result, int *result_width, int *result_height, char **message);

/* superres_free frees a result or a message. It may be NULL. */
void superres_free(void *memory);

/* superres_version returns the version, such as "0.1.0", which the caller does not free. */
const char *superres_version(void);

#ifdef __cplusplus
}
#endif

#endif
