// Takes some minutes: it compiles virtctl, and boots guests.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { sshOptions, userStory } from '../support/guests/guest-story.ts'
import { volumeStory } from '../support/guests/volume-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine } from '../support/machine.ts'
import { demoVirtualMachine, disksVirtualMachine } from '../support/manifests.ts'
import { buildProgram } from './oracle.ts'

const run = promisify(execFile)

suite("KubeVirt's own virtctl", { skip: noKubectl || (podNetworkObstacle() ?? false), timeout: 1_800_000 }, () => {
  test('plugs and unplugs volumes of a running guest', async (t) => {
    const virtctl = await buildProgram('kubevirt', ['build'], './cmd/virtctl')
    if ('missing' in virtctl) return t.skip(virtctl.missing)
    await using client = virtctl
    await using machine = await startMachine({ nodes: 2 })
    const ask = (verb: string) => (vm: string, claim: string) => run(client.path, [verb, vm, '--volume-name', claim], { env: machine.env })
    await volumeStory(machine, { add: ask('addvolume'), remove: ask('removevolume') })
  })

  test('reaches a first own VM by SSH, also while it moves, and makes its Service', async (t) => {
    const virtctl = await buildProgram('kubevirt', ['build'], './cmd/virtctl')
    if ('missing' in virtctl) return t.skip(virtctl.missing)
    await using client = virtctl
    await using machine = await startMachine({ nodes: 2 })
    await userStory(t, machine, {
      ssh: (vm, key, command) => {
        const options = sshOptions.split(' -o ').map((option) => `--local-ssh-opts=-o ${option.replace(/^-o /, '')}`)
        return [client.path, ['ssh', `root@vm/${vm}`, '-i', key, ...options, '--command', command]]
      },
      expose: (vm, service, port) =>
        run(client.path, ['expose', 'vm', vm, '--name', service, '--port', String(port)], { env: machine.env }),
    })
    for (const [verb, expected] of [
      [['guestosinfo', 'mine'], /reported a conflict/],
      [['vnc', 'screenshot', 'mine', '-f', '/dev/null'], /^$/],
      [['reset', 'mine'], /reset/i],
    ] as const) {
      const { stdout, stderr } = await run(client.path, [...verb], { env: machine.env }).catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      const text = `${stdout}${stderr}`.replace(/^failed to validate metadata.*\n/, '')
      assert.match(text, expected, verb.join(' '))
    }
  })

  test('dumps the memory of a guest, downloads it, and forgets where it is', async (t) => {
    const virtctl = await buildProgram('kubevirt', ['build'], './cmd/virtctl')
    if ('missing' in virtctl) return t.skip(virtctl.missing)
    await using client = virtctl
    await using machine = await startMachine()
    await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('web'))
    await machine.inGuest('for n in 1 2 3; do printf "marker%s-" $n; done >/tmp/marker', 'web')
    const dump = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run(client.path, ['memory-dump', ...args], { env: machine.env })
      return stdout + stderr
    }
    const completed = (): Promise<string> =>
      machine.kubectl(['wait', 'vm/web', '--for=jsonpath={.status.memoryDumpRequest.phase}=Completed', '--timeout=120s'])
    const output = join(machine.home, 'memory')
    await assert.rejects(dump('get', 'web'), /Memory dump requires claim name to be set/)
    const options = [`--output=${output}`, '--format=raw', '--port-forward']
    assert.match(await dump('get', 'web', '--claim-name=dumps', '--create-claim', ...options), /Memory dump completed successfully/)
    const name = await machine.kubectl(['get', 'pvc', 'dumps', '-o', 'jsonpath={.metadata.annotations.kubevirt\\.io/memory-dump}'])
    assert.match(name, /^web-dumps-.*\.memory\.dump$/)
    // What comes is the archive of the claim, as from KubeVirt.
    assert.ok((await readFile(output)).includes('marker1-marker2-marker3-'))
    await assert.rejects(dump('get', 'web', '--claim-name=other', '--create-claim'), /remove current memory dump association/)
    assert.match(await dump('get', 'web'), /Successfully submitted memory dump request/)
    await completed()
    assert.match(await dump('download', 'web', ...options), /Memory dump completed successfully/)
    assert.match(await dump('remove', 'web'), /Successfully submitted remove memory dump association/)
    await machine.kubectl(['wait', 'vm/web', '--for=jsonpath={.status.ready}=true', '--timeout=60s'])
    await eventually(
      async () => !(await machine.kubectl(['get', 'vm', 'web', '-o', 'json'])).includes('memoryDumpRequest'),
      () => machine.kubectl(['get', 'vm', 'web', '-o', 'json']),
    )
    await assert.rejects(dump('remove', 'web'), /no association found/)
  })

  test('downloads what a guest has written, and the manifests of its VM', async (t) => {
    const virtctl = await buildProgram('kubevirt', ['build'], './cmd/virtctl')
    if ('missing' in virtctl) return t.skip(virtctl.missing)
    await using client = virtctl
    await using machine = await startMachine()
    const folder = join(machine.home, 'downloads')
    await mkdir(folder)
    const vmexport = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run(client.path, ['vmexport', ...args], { env: machine.env })
      return stdout + stderr
    }
    const download = (...args: string[]): Promise<string> => vmexport('download', ...args, '--port-forward', '--readiness-timeout=2m')
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '24Mi' } } }
    const claims = ['root', 'data'].map((name) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }))
    await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: claims }))
    const volumes = { root: { persistentVolumeClaim: { claimName: 'root' } }, data: { persistentVolumeClaim: { claimName: 'data' } } }
    await machine.kubectl(['create', '-f', '-'], disksVirtualMachine('web', volumes))
    const writing = 'dd if=/bin/busybox of=/dev/vda bs=64k seek=40 conv=fsync 2>/dev/null; sha256sum /dev/vda'
    const written = (await machine.inGuest(writing, 'web')).split(/\s/)[0]
    await machine.kubectl(['patch', 'vm', 'web', '--type=merge', '-p', '{"spec":{"runStrategy":"Halted"}}'])

    // An export of its own for each download, which is deleted after it.
    const [raw, compressed] = [join(folder, 'raw'), join(folder, 'gz')]
    assert.match(await download('one', '--vm=web', '--volume=root', `--output=${raw}`, '--format=raw'), /deleted successfully/)
    assert.equal(digest(await readFile(raw)), written)
    assert.match(await vmexport('create', 'kept', '--vm=web', '--ttl=1h', '--labels=team=a'), /created successfully/)
    // By the external link.
    await vmexport('download', 'kept', '--volume=root', `--output=${compressed}`, '--keep-vme', '--retry=2')
    assert.equal(digest(gunzipSync(await readFile(compressed))), written)
    await assert.rejects(download('kept', `--output=${raw}`), /more than one downloadable volume/)
    const { stdout } = await run(client.path, ['vmexport', 'download', 'kept', '--manifest', '--include-secret', '--port-forward'], {
      env: machine.env,
    })
    const applied = await machine.kubectl(['apply', '--dry-run=server', '-f', '-'], stdout)
    for (const made of [
      'configmap/export-ca-cm-kept',
      'virtualmachine.kubevirt.io/web',
      'datavolume.cdi.kubevirt.io/data',
      'secret/header-secret-kept',
    ])
      assert.ok(applied.includes(made), applied)
    assert.match(await machine.kubectl(['get', 'pods', '-l', 'team=a', '-o', 'name']), /pod\/virt-export-kept/)
    assert.match(await vmexport('delete', 'kept'), /deleted successfully/)

    // Any files of a claim are an archive. What is in it is the disk of the guest.
    const archive = join(folder, 'archive')
    await download('files', '--pvc=root', `--output=${archive}`)
    const { stdout: content } = await run('tar', ['-xzOf', archive, './disk.img'], { encoding: 'buffer', maxBuffer: 1 << 26 })
    assert.equal(digest(content), written)
    await assert.rejects(vmexport('create', 'bad', '--snapshot='), /need to specify export kind/)
  })
})

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
