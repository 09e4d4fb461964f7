// Functions of glibc that its headers show only under _GNU_SOURCE, which would make this module's types differ from
// those of Swift's Glibc module. Declared here with void * for the types that don't matter.
#pragma once

int accept4(int socket, void *address, void *length, int flags);
int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);
