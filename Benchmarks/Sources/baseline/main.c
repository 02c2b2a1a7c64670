// Decodes sound files, mixes them to mono, resamples them to 16 kHz and takes a Fourier transform of
// 2,048 windowed samples every 256: what any fingerprint of this kind costs at the least. It uses
// the libraries and settings that the product uses, on as many threads as there are cores, and prints
// the seconds of sound on standard output.

#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <sndfile.h>
#include <soxr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { window_count = 2048, hop = 256, block_frames = 8192, rate = 16000 };

static char **files;
static int file_count;
static int next_file;
static double total_seconds;
static float sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct transform {
  fftwf_plan plan;
  float *input;
  fftwf_complex *output;
  float window[window_count];
  float ring[window_count];
  size_t filled;
};

static void take(struct transform *t, const float *samples, size_t count) {
  while (count > 0) {
    size_t room = window_count - t->filled;
    size_t part = count < room ? count : room;
    memcpy(t->ring + t->filled, samples, part * sizeof *samples);
    t->filled += part;
    samples += part;
    count -= part;
    if (t->filled < window_count) return;
    for (int i = 0; i < window_count; i++) t->input[i] = t->ring[i] * t->window[i];
    fftwf_execute(t->plan);
    sink += t->output[17][0];
    memmove(t->ring, t->ring + hop, (window_count - hop) * sizeof *t->ring);
    t->filled = window_count - hop;
  }
}

static void measure(struct transform *t, const char *path) {
  SF_INFO info = {0};
  SNDFILE *file = sf_open(path, SFM_READ, &info);
  if (!file) {
    fprintf(stderr, "baseline: %s: %s\n", path, sf_strerror(NULL));
    exit(2);
  }
  soxr_error_t error = NULL;
  soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_MQ, 0);
  soxr_t soxr = info.samplerate == rate
      ? NULL : soxr_create(info.samplerate, rate, 1, &error, &io, &quality, NULL);
  if (error) exit(2);
  float *frames = malloc(sizeof *frames * block_frames * info.channels);
  float *mono = malloc(sizeof *mono * block_frames);
  size_t capacity = (size_t)(block_frames * (double)rate / info.samplerate) + 64;
  float *out = malloc(sizeof *out * capacity);
  double seconds = 0;
  t->filled = 0;
  for (;;) {
    sf_count_t count = sf_readf_float(file, frames, block_frames);
    if (count <= 0) break;
    seconds += (double)count / info.samplerate;
    for (sf_count_t i = 0; i < count; i++) {
      float sum = 0;
      for (int c = 0; c < info.channels; c++) sum += frames[i * info.channels + c];
      mono[i] = sum / info.channels;
    }
    if (!soxr) {
      take(t, mono, count);
      continue;
    }
    size_t from = 0;
    while (from < (size_t)count) {
      size_t read = 0, made = 0;
      soxr_process(soxr, mono + from, count - from, &read, out, capacity, &made);
      take(t, out, made);
      from += read;
    }
  }
  if (soxr) {
    size_t made = 0;
    do {
      soxr_process(soxr, NULL, 0, NULL, out, capacity, &made);
      take(t, out, made);
    } while (made > 0);
    soxr_delete(soxr);
  }
  free(frames);
  free(mono);
  free(out);
  sf_close(file);
  pthread_mutex_lock(&lock);
  total_seconds += seconds;
  pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
  (void)unused;
  struct transform *t = calloc(1, sizeof *t);
  pthread_mutex_lock(&lock);
  t->input = fftwf_alloc_real(window_count);
  t->output = fftwf_alloc_complex(window_count / 2 + 1);
  t->plan = fftwf_plan_dft_r2c_1d(
      window_count, t->input, t->output, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < window_count; i++) {
    t->window[i] = 0.5f - 0.5f * cosf(2 * (float)M_PI * i / window_count);
  }
  for (;;) {
    pthread_mutex_lock(&lock);
    int index = next_file++;
    pthread_mutex_unlock(&lock);
    if (index >= file_count) break;
    measure(t, files[index]);
  }
  return NULL;
}

int main(int count, char **words) {
  files = words + 1;
  file_count = count - 1;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 64) cores = 64;
  pthread_t threads[64];
  for (long i = 0; i < cores; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (long i = 0; i < cores; i++) pthread_join(threads[i], NULL);
  printf("%.3f\n", total_seconds);
  return isnan(sink) ? 2 : 0;
}
