import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../home/config.ts'
import type { DataDirectory, NodeDirectory } from '../home/data-directory.ts'
import { programFile } from '../release/program-bundle.ts'
import { compileCache, type Release } from '../release/release.ts'

/** The supervisor to start. */
export interface SupervisorOptions {
  readonly directory: DataDirectory
  readonly release: Release
  readonly node: string
  /** Pid of a kubelet that already runs. */
  readonly adopt: number | undefined
}

const SUPERVISOR_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Starts the shell that keeps a node's kubelet running. A second one for the same node ends at
 * once: the first holds a lock (see supervise.sh).
 */
export function startSupervisor({ directory, release, node, adopt }: SupervisorOptions): void {
  const home = directory.node(node)
  const kubelet = [join(release.root, 'node_modules/node/bin/node'), programFile(release.root, 'kubelet'), `--node=${node}`]
  const log = openSync(home.log, 'a', 0o600)
  const script = join(release.root, 'src/machine/supervisor/supervise.sh')
  const child = spawn('/bin/sh', [script, home.stop, home.log, home.supervisorPid, String(adopt ?? 0), ...kubelet], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      PATH: SUPERVISOR_PATH,
      HOME: '/root',
      NODE_COMPILE_CACHE: compileCache(release),
      STEADYVM_HOME: directory.root,
      STEADYVM_ROLE: 'supervisor',
      NODE_NAME: node,
    },
  })
  child.unref()
  closeSync(log)
}

/** Reports whether the supervisor that last wrote its pid still runs. */
export function isSupervisorRunning(node: NodeDirectory): boolean {
  try {
    const pid = Number(readFileSync(node.supervisorPid, 'utf8'))
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes('supervise.sh') && command.includes(`\0${node.stop}\0`)
  } catch {
    return false
  }
}

/** @throws SetupError when this machine lacks a program that the supervisor needs. */
export function assertSupervisable(): void {
  if (SUPERVISOR_PATH.split(':').some((folder) => isExecutable(join(folder, 'flock')))) return
  throw new SetupError(
    `Cannot supervise kubelets: "flock" is not in ${SUPERVISOR_PATH}; install it, for example with "apt-get install util-linux"`,
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
