import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { preStopCommand } from '#features/launcher/index.ts'
import { buildImages } from '#machine/image/build-images.ts'
import { blobPath, readConfig, readLayout } from '#oci/image/image-layout.ts'
import type { Descriptor, ImageConfig } from '#oci/image/media-types.ts'
import { launchScript } from '#qemu/index.ts'
import { runCommand, type CommandResult } from '../support/kubectl.ts'
import { repository } from '../support/machine.ts'

/** A component's image, unpacked as a container runtime does it. */
interface Container {
  readonly root: string
  readonly config: ImageConfig['config']
}

const qemuUser = 107
/** Runs a command with the image as its root directory, as its user, with what runtimes mount. */
const runScript =
  'mount -t proc proc "$1/proc" && : >"$1/dev/null" && mount --bind /dev/null "$1/dev/null" && user=$2 && root=$1 && shift 2 && exec /usr/sbin/chroot "--userspec=$user" "$root" "$@"'
const canUnpack = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0

suite(
  'images of the components',
  { skip: canUnpack ? false : 'only root with mount namespaces can run programs in another root directory' },
  () => {
    let folder = ''
    const containers = new Map<string, Container>()

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'images-'))
      const output = join(folder, 'layout')
      await buildImages({
        root: repository,
        output,
        version: 'v9.1.0',
        registry: 'example.com/team',
        qemu: { folder: '/usr', version: '7.2.0' },
        facts: { upgradesFrom: 'v9.0.0', featureGates: {}, revisionVersions: [] },
        hasArchive: false,
        // What is packed is proved here, and not how well.
        compression: 0,
      })
      const unpack = (layers: readonly Descriptor[], root: string): void => {
        for (const { digest } of layers) execFileSync('tar', ['-xzpf', blobPath(output, digest), '-C', root])
      }
      for (const { reference, manifest } of await readLayout(output)) {
        const name = /([^/]+):/.exec(reference)?.[1] ?? ''
        const root = join(folder, name)
        // Node is in most images: unpacked once, and linked.
        const lower = manifest.layers.slice(0, 2)
        const base = join(folder, lower.map(({ digest }) => digest.slice(-12)).join('-'))
        if (!existsSync(base)) {
          await mkdir(base)
          unpack(lower, base)
        }
        execFileSync('cp', ['-al', base, root])
        unpack(manifest.layers.slice(2), root)
        containers.set(name, { root, config: (await readConfig(output, manifest)).config })
      }
    })
    after(() => rm(folder, { recursive: true, force: true }))

    const container = (name: string): Container => containers.get(name) ?? assert.fail(`no image of ${name}`)
    const commandIn = (name: string, command: readonly string[]): readonly [string, string[], NodeJS.ProcessEnv] => {
      const { root, config } = container(name)
      const env = Object.fromEntries(config.Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
      return ['unshare', ['--mount', '/bin/sh', '-c', runScript, 'sh', root, config.User ?? '', ...command], env]
    }
    const runIn = (
      name: string,
      command: readonly string[],
      more: { input?: string; env?: NodeJS.ProcessEnv } = {},
    ): Promise<CommandResult> => {
      const [program, args, env] = commandIn(name, command)
      return runCommand(program, args, { ...more, env: { ...env, ...more.env }, timeoutMs: 30_000 })
    }
    const entrypoint = (name: string): readonly string[] => container(name).config.Entrypoint ?? []

    for (const name of ['virt-operator', 'virt-api', 'virt-controller']) {
      test(`${name} starts as its user, and asks for its flags`, async () => {
        const { code, stdout, stderr } = await runIn(name, entrypoint(name))
        assert.equal(code, 1)
        assert.match(stdout + stderr, /Missing flags: .*--health-port/)
      })
    }

    test('virt-operator finds its version and the contents of its release', async () => {
      const script = `
      const { readFileSync } = await import('node:fs')
      const read = (path) => JSON.parse(readFileSync('/usr/lib/steadyvm/' + path, 'utf8'))
      console.log(read('package.json').version, read('manifests/crds.generated.json').length > 10, read('release.json').qemu.folder)`
      const [node = ''] = entrypoint('virt-operator')
      const { stdout, stderr } = await runIn('virt-operator', [node, '--input-type=module', '-e', script])
      assert.equal(stdout, '9.1.0 true /usr\n', stderr)
    })

    test('virt-api resolves host names', async () => {
      const { root } = container('virt-api')
      await writeFile(join(root, 'etc/hosts'), '192.0.2.7 api.example.test\n')
      const script = `require('node:dns').lookup('api.example.test', (error, address) => console.log(error?.code ?? address))`
      const { stdout, stderr } = await runIn('virt-api', [entrypoint('virt-api')[0] ?? '', '-e', script])
      assert.equal(stdout, '192.0.2.7\n', stderr)
    })

    test('steadyvm-tasks is a command, and has the programs that it starts', async () => {
      const { code, stdout, stderr } = await runIn('steadyvm-tasks', ['steadyvm-tasks', '--help'])
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^ {2}execute-in-vm /m)
      const made = await runIn('steadyvm-tasks', ['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', '/tmp/key'])
      assert.equal(made.code, 0, made.stderr)
      const login = await runIn('steadyvm-tasks', ['ssh', '-F', 'none', '-i', '/tmp/key', '-p', '1', 'root@127.0.0.1', 'true'])
      assert.match(login.stderr, /Connection refused/)
      const converter = await runIn('steadyvm-tasks', ['qemu-img', '--version'])
      assert.equal(converter.code, 0, converter.stderr)
    })

    test('virt-handler asks its QEMU for the features of the node', async () => {
      const cluster = { server: 'https://127.0.0.1:1' }
      const kubeconfig = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
        clusters: [{ name: 'x', cluster }],
        users: [{ name: 'x', user: {} }],
      }
      await writeFile(join(container('virt-handler').root, 'tmp/kubeconfig'), JSON.stringify(kubeconfig))
      const flags = [
        'kubeconfig=/tmp/kubeconfig',
        'node=n',
        'pods=/tmp/pods',
        'run=/tmp/run',
        'cache=/tmp',
        'address=127.0.0.1',
        'port=0',
        'health-port=0',
      ]
      const [program, args, env] = commandIn('virt-handler', [...entrypoint('virt-handler'), ...flags.map((flag) => `--${flag}`)])
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      try {
        let printed = ''
        const found = (async () => {
          for await (const chunk of child.stdout) {
            printed += String(chunk)
            if (printed.includes('this node runs guests')) return true
          }
          return false
        })()
        assert.ok(await Promise.race([found, sleep(20_000, false, { ref: false })]), printed)
        assert.match(printed, /"qemu":"\/usr\/bin\/qemu-system-x86_64"/)
      } finally {
        child.kill('SIGKILL')
      }
      // Written by the image's user: /tmp is open to it.
      assert.equal((await stat(join(container('virt-handler').root, 'tmp/qemu-capabilities.json'))).uid, 65_532)
    })

    test('virt-importer fills a volume as user 107, with qemu-img and the programs of its image', async () => {
      const { root, config } = container('virt-importer')
      assert.equal(config.User, '107:107')
      await mkdir(join(root, 'tmp/volume'))
      await chown(join(root, 'tmp/volume'), qemuUser, qemuUser)
      await writeFile(join(root, 'tmp/source'), Buffer.alloc(1 << 20, 'steady'))
      const task = {
        source: { kind: 'clone', path: '/tmp/source' },
        contentType: 'kubevirt',
        target: '/tmp/volume/disk.img',
        volumeBytes: 4 << 20,
        overhead: 0,
        preallocation: true,
      }
      const env = { IMPORTER_TASK: JSON.stringify(task), IMPORTER_TERMINATION_LOG: '/tmp/message' }
      const { code, stdout, stderr } = await runIn('virt-importer', entrypoint('virt-importer'), { env })
      assert.equal(code, 0, stdout + stderr)
      const { size, blocks } = await stat(join(root, 'tmp/volume/disk.img'))
      assert.deepEqual([size, blocks * 512], [4 << 20, 4 << 20])
      assert.equal((await runIn('virt-importer', ['xz', '--version'])).code, 0)
    })

    test('virt-launcher waits for its script as user 107, and becomes a QEMU with firmware and devices', async () => {
      const { root, config } = container('virt-launcher')
      assert.equal(config.User, '107:107')
      const shared = join(root, 'tmp/pod/volumes/kubernetes.io~empty-dir/private')
      await mkdir(shared, { recursive: true })
      await chown(shared, qemuUser, qemuUser)
      const firmware = '/usr/share/OVMF/OVMF_CODE_4M.fd'
      const models = ['virtio-vga', 'virtio-net-pci', 'e1000e', 'qemu-xhci', 'usb-redir,chardev=usb']
      const devices = ['-chardev', 'null,id=usb', ...models.flatMap((model) => ['-device', model])]
      const args = [
        '-machine',
        'q35,accel=tcg',
        '-S',
        '-display',
        'none',
        '-qmp',
        'stdio',
        '-drive',
        `if=pflash,format=raw,readonly=on,file=${firmware}`,
      ]
      const before = [
        ['qemu-img', 'create', '-q', '-f', 'qcow2', 'disk.qcow2', '1M'],
        ['swtpm', 'socket', '--tpm2', '--tpmstate', 'dir=/tmp', '--ctrl', 'type=unixio,path=/tmp/tpm', '--terminate', '--daemon'],
      ]
      const tpm = ['-chardev', 'socket,id=tpm,path=/tmp/tpm', '-tpmdev', 'emulator,id=tpm,chardev=tpm', '-device', 'tpm-crb,tpmdev=tpm']
      await writeFile(join(shared, 'launch.sh'), launchScript('/usr/bin/qemu-system-x86_64', [...args, ...devices, ...tpm], before))
      const input = ['qmp_capabilities', 'query-status', 'quit'].map((execute) => `${JSON.stringify({ execute })}\n`).join('')
      const { code, stdout, stderr } = await runIn('virt-launcher', entrypoint('virt-launcher'), { input, env: { POD_DIR: '/tmp/pod' } })
      assert.equal(code, 0, stderr)
      assert.match(stdout, /"status": "prelaunch"/)
      assert.equal((await stat(join(shared, 'process'))).uid, qemuUser)

      // QEMU has ended, and so the hook does not wait. Its wait is made of sleep.
      const hook = await runIn('virt-launcher', preStopCommand, { env: { POD_DIR: '/tmp/pod' } })
      assert.deepEqual(hook, { code: 0, stdout: '', stderr: '' })
      assert.equal((await runIn('virt-launcher', ['sleep', '0'])).code, 0)
    })
  },
)
