import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/**
 * The standard input of a container that has `stdin: true`: a named pipe beside its log, which
 * outlives the kubelet.
 */
export interface ContainerStdin {
  /** For the process. The caller closes it after the fork. */
  readonly descriptor: number
}

/** Named pipe of a run's standard input. */
export function stdinPathOf(directory: string, restart: number): string {
  return `${directory}/${restart}.stdin`
}

/** Open writing ends by path: as long as one is open, a process that reads to the end waits. */
const held = new Map<string, number>()

/**
 * Opens the input for a new run. With `once`, the process sees its end when the first client that
 * attached has gone, or the kubelet, which holds the other end. Otherwise it never does, as the
 * process holds the other end itself.
 */
export function openContainerStdin(path: string, once: boolean): ContainerStdin {
  if (!existsSync(path)) execFileSync('/bin/sh', ['-c', 'mkfifo -m 600 "$0"', path])
  // Opened both ways, which never waits.
  const both = openSync(path, constants.O_RDWR)
  if (!once) return { descriptor: both }
  releaseStdin(path)
  held.set(path, both)
  return { descriptor: openSync(path, constants.O_RDONLY) }
}

/** Closes the kubelet's end of a run's input, so that the process reads EOF. */
export function releaseStdin(path: string): void {
  const descriptor = held.get(path)
  if (descriptor === undefined) return
  held.delete(path)
  closeSync(descriptor)
}

/**
 * Opens the input of a running process for writing; undefined when it has none. The end of the
 * stream is EOF for containers with stdinOnce.
 */
export function writeToStdin(path: string): Writable | undefined {
  let descriptor
  try {
    // Fails at once without a reader.
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
  pipe.on('error', () => pipe.destroy())
  pipe.once('close', () => releaseStdin(path))
  return pipe
}
