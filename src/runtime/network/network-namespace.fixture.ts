import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Rules of machine mode's pod network. */
export const networkRules: string = readFileSync(new URL('../../machine/network/pod-network.nft', import.meta.url), 'utf8')

/** Why this machine can have no pod network; false if it can. */
export const noNetwork: string | false =
  spawnSync('unshare', ['--net', '/bin/sh', '-c', 'ip link add probe0 type veth peer name probe1 && nft -f -'], { input: networkRules })
    .status === 0
    ? false
    : 'this machine can have no pod network'

/** Starts a process in a network namespace of its own, which exists as long. */
export async function startNamespace(): Promise<ChildProcess> {
  const own = readlinkSync('/proc/self/ns/net')
  const child = spawn('unshare', ['--net', 'sleep', '1000'], { stdio: 'ignore' })
  while (readlinkSync(`/proc/${child.pid}/ns/net`) === own) await sleep(5)
  return child
}

/** Runs a shell command in the network namespace of a process, and returns its output. */
export function shellIn(pid: number | undefined, command: string, input: string = ''): string {
  const args = [`--net=/proc/${pid}/ns/net`, '/bin/sh', '-ec', command]
  const { status, stdout, stderr } = spawnSync('nsenter', args, { input, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}
