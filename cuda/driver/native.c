/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For the build, not in it: prints the compute capabilities of the GPUs that the driver sees, as
 * 89 90, each once. Prints nothing where there is no driver or no GPU.
 */
#include <dlfcn.h>
#include <stdio.h>

#define CAPABILITY_MAJOR 75 /* as cuda.h numbers the attributes */
#define CAPABILITY_MINOR 76

typedef int Init(unsigned flags);
typedef int Count(int *count);
typedef int Attribute(int *value, int attribute, int device);

int main(void)
{
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  Init *init = driver != NULL ? (Init *)dlsym(driver, "cuInit") : NULL;
  Count *count_devices = driver != NULL ? (Count *)dlsym(driver, "cuDeviceGetCount") : NULL;
  Attribute *get = driver != NULL ? (Attribute *)dlsym(driver, "cuDeviceGetAttribute") : NULL;
  char seen[1000] = {0};
  int count = 0;
  if (init == NULL || count_devices == NULL || get == NULL || init(0) != 0 ||
      count_devices(&count) != 0)
    return 0;
  for (int device = 0; device < count; device++) {
    int major = 0, minor = 0;
    if (get(&major, CAPABILITY_MAJOR, device) != 0 || get(&minor, CAPABILITY_MINOR, device) != 0)
      continue;
    int number = (major * 10 + minor) % 1000;
    if (!seen[number])
      printf("%d ", number);
    seen[number] = 1;
  }
  return 0;
}
