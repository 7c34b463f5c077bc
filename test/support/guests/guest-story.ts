import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { eventually, repository, textAt, type TestMachine } from '../machine.ts'
import { untilGuestsRun } from './running-guests.ts'
import { isCluster, migrationOf, networked, outsideAddress } from './networked-guests.ts'
import { demoVirtualMachine, editGuest } from '../manifests.ts'

/** A client that opens SSH sessions. */
export interface StoryClient {
  /** Returns the command line that runs a command in the guest of a VM, as root, with a key. */
  ssh(vm: string, key: string, command: string): readonly [program: string, args: readonly string[]]
  /** Makes a Service of a VM's port. */
  expose(vm: string, service: string, port: number): Promise<unknown>
}

/** Returns the client that uses `steadyvm ssh`. */
export function steadyvmClient(machine: TestMachine): StoryClient {
  return {
    ssh: (vm, key, command) => {
      const flags = ['-n', machine.namespace, '-i', key, '-t', sshOptions, '-c', command]
      return [join(repository, 'bin', 'steadyvm'), ['ssh', ...flags, `root@${vm}`]]
    },
    expose: async (vm, service, port) => {
      await machine.kubectl(['create', 'service', 'clusterip', service, `--tcp=${port}:${port}`])
      await machine.kubectl(['set', 'selector', 'service', service, `app=${vm}`])
    },
  }
}

/** Options of ssh for hosts whose key is not known. */
export const sshOptions = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=60'

/**
 * Runs the story of a user with a first own VM: SSH with a key, the outside, a Service, console,
 * picture, and a live migration during an SSH session and a download.
 */
export async function userStory(t: TestContext, machine: TestMachine, client: StoryClient): Promise<void> {
  const key = join(machine.home, 'story-key')
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  await machine.kubectl(['create', 'secret', 'generic', 'story-key', `--from-file=key=${key}.pub`])
  await machine.kubectl(['create', 'configmap', 'settings', '--from-literal=greeting=hello'])
  await machine.kubectl(['create', '-f', '-'], withKey(demoVirtualMachine('mine', { namespace: machine.namespace, memory: '160Mi' })))
  await machine.kubectl(['create', '-f', '-'], networked(demoVirtualMachine('peer', { namespace: machine.namespace })))
  await untilGuestsRun(machine, ['mine', 'peer'])

  const open = (command: string): ChildProcess => {
    const [program, args] = client.ssh('mine', key, command)
    // A group of its own, as ssh has children.
    return spawn(program, args, { env: machine.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  }
  const inGuest = async (command: string): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> => {
    const child = open(command)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk: Buffer) => (output[name] += chunk.toString()))
    const [code] = (await once(child, 'close')) as [unknown]
    return { code, ...output }
  }

  let answer = await inGuest('hostname')
  // The guest is still booting.
  await eventually(
    async () => answer.code === 0 || (answer = await inGuest('hostname')).code === 0,
    () => answer.stderr,
    180_000,
  )
  assert.equal(answer.stdout.trim(), 'mine')
  assert.equal((await inGuest('mkdir /cd && mount -t iso9660 /dev/vdb /cd && cat /cd/greeting')).stdout, 'hello')

  const outside = outsideAddress()
  if (outside !== undefined) {
    const server = createServer((socket) => socket.end('welcome')).listen(0, outside)
    t.after(() => server.close())
    await once(server, 'listening')
    assert.equal((await inGuest(`nc -w 5 ${outside} ${(server.address() as AddressInfo).port} </dev/null`)).stdout, 'welcome')
  }

  await client.expose('mine', 'ssh-mine', 22)
  await eventually(
    async () => {
      const { clusterIP } = (await machine.getJson('service', 'ssh-mine'))['spec'] as unknown as { clusterIP: string }
      return (await machine.inGuest(isCluster ? bannerOf(clusterIP) : bannerByName, 'peer')).startsWith('SSH-2.0')
    },
    () => 'the Service is not reached',
  )
  assert.match(await machine.inGuest('ps', 'mine'), /dropbear/)
  const guest = `/apis/subresources.kubevirt.io/v1/namespaces/${machine.namespace}/virtualmachineinstances/mine`
  assert.match(await machine.kubectl(['get', '--raw', `${guest}/vnc/screenshot`]), /^.PNG\r\n/)

  const session = open('i=0; while :; do i=$((i+1)); echo $i; usleep 100000; done')
  const download = open('cat /dev/zero')
  const endSessions = (): void => [session, download].forEach(end)
  t.after(endSessions)
  const [counted, loaded] = [watch(session), watch(download)]
  await eventually(
    () => counted.bytes > 10 && loaded.bytes > 100_000,
    () => `${counted.bytes} and ${loaded.bytes} bytes`,
  )
  const from = textAt(await machine.getJson('vmi', 'mine'), 'status.nodeName')
  await machine.kubectl(['create', '-f', '-'], migrationOf('story', { namespace: machine.namespace, vmiName: 'mine' }))
  await machine.kubectl(['wait', 'vmim/story', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=300s'])
  assert.notEqual(textAt(await machine.getJson('vmi', 'mine'), 'status.nodeName'), from)
  if (isCluster) {
    // Its pod, and so its address, is another one.
    endSessions()
    assert.equal((await inGuest('hostname')).stdout.trim(), 'mine')
    return t.diagnostic('after the migration the guest is reached at another address; sessions have ended')
  }
  const [countedThen, loadedThen] = [counted.bytes, loaded.bytes]
  await eventually(
    () => counted.bytes > countedThen + 40 && loaded.bytes > loadedThen + 100_000,
    () => `after the migration: ${counted.bytes - countedThen} and ${loaded.bytes - loadedThen} bytes`,
    120_000,
  )
  assert.deepEqual([session.exitCode, download.exitCode], [null, null])
  endSessions()
  t.diagnostic(`longest stall: SSH session ${counted.longestMs} ms, download ${loaded.longestMs} ms (${loaded.bytes >> 20} MiB)`)
}

const bannerOf = (address: string): string => `nc -w 3 ${address} 22 </dev/null || :`
// The test cluster has no DNS.
const bannerByName = `address=$(nslookup ssh-mine 2>/dev/null | sed -n "/^Name/,\\$s/^Address: //p"); [ -n "$address" ] && ${bannerOf('$address')}`

/** Ends a process and its children. */
function end({ pid, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) stream?.destroy()
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // They have ended.
  }
}

/** Counts what a process prints. */
function watch(child: ChildProcess): { readonly bytes: number; readonly longestMs: number } {
  const seen = { bytes: 0, longestMs: 0 }
  let at: number | undefined
  child.stdout?.on('data', (chunk: Buffer) => {
    const now = performance.now()
    seen.longestMs = Math.max(seen.longestMs, Math.round(now - (at ?? now)))
    at = now
    seen.bytes += chunk.length
  })
  return seen
}

/**
 * Adds a card, a display, a cloud-init disk with the key of a Secret for the guest's SSH server,
 * and a CD of a ConfigMap.
 */
function withKey(vm: string): string {
  return editGuest(networked(vm), ({ domain, ...spec }) => {
    const { firmware, devices } = domain as { firmware: { kernelBoot: { container: object } }; devices: object }
    const container = { ...firmware.kernelBoot.container, initrdPath: '/boot/initrd-ssh' }
    return {
      ...spec,
      volumes: [
        { name: 'seed', cloudInitNoCloud: { userData: '#cloud-config\n' } },
        { name: 'settings', configMap: { name: 'settings' } },
      ],
      accessCredentials: [{ sshPublicKey: { source: { secret: { secretName: 'story-key' } }, propagationMethod: { noCloud: {} } } }],
      domain: {
        ...domain,
        firmware: { kernelBoot: { ...firmware.kernelBoot, container } },
        devices: {
          ...devices,
          rng: {},
          autoattachGraphicsDevice: true,
          clientPassthrough: {},
          disks: ['seed', 'settings'].map((name) => ({ name, disk: { bus: 'virtio' } })),
        },
      },
    }
  })
}
