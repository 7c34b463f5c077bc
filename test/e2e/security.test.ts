import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

/** Loopback addresses in the kernel's notation. */
const loopback = /^(?:[0-9A-F]{6}7F|00000000000000000000000001000000|0000000000000000FFFF0000[0-9A-F]{6}7F):/

interface Socket {
  readonly address: string
  readonly inode: string
}

/** Returns listening TCP sockets, and UDP sockets without a peer. */
function openSockets(): Socket[] {
  const read = (table: string, wanted: string): Socket[] =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === wanted)
      .map((fields) => ({ address: fields[1] ?? '', inode: fields[9] ?? '' }))
  return [...read('tcp', '0A'), ...read('tcp6', '0A'), ...read('udp', '07'), ...read('udp6', '07')]
}

function socketsOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(join(folder, fd))
    } catch {
      return ''
    }
  })
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []))
}

interface HomeFile {
  readonly path: string
  readonly mode: number
  readonly text: string
}

/**
 * Returns the result of `read`, or nothing if the file was deleted after it was listed: then it can
 * no longer leak.
 */
function unlessGone<T>(read: () => T[]): T[] {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Returns all files that the machine wrote into its home; it keeps writing and deleting files
 * meanwhile.
 */
function filesOf(folder: string): HomeFile[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['cache', 'images'].includes(entry.name) ? [] : filesOf(path)
    if (!entry.isFile()) return []
    return unlessGone(() => [{ path, mode: statSync(path).mode, text: readFileSync(path, 'latin1') }])
  })
}

suite('security of a machine', { skip: machineModeOnly('tests users, files and sockets of the machine') }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  test('nothing listens beyond loopback', () => {
    const sockets = openSockets()
    const ours = machine.processes().flatMap(({ pid }) => {
      const held = socketsOf(pid)
      return sockets.filter(({ inode }) => held.has(inode))
    })
    assert.ok(ours.length >= 4, `${ours.length} sockets: the API server, virt-api and two more`)
    assert.deepEqual(
      ours.filter(({ address }) => !loopback.test(address)),
      [],
    )
  })

  test('keys, credentials, the database and logs are for their owner only', async () => {
    await machine.kubectl(['create', 'configmap', 'audited'])
    const secret = filesOf(machine.home).filter(
      ({ path, text }) => /(?:\.key|kubeconfig|state\.db(?:-\w+)?|audit\.log)$/.test(path) || text.includes('PRIVATE KEY'),
    )
    for (const name of ['service-account.key', 'ca.key', 'apiserver.pem', 'kubeconfig', 'state.db', 'audit.log']) {
      assert.ok(
        secret.some(({ path }) => path.endsWith(`/${name}`)),
        `${name} is not among ${secret.map(({ path }) => path).join(', ')}`,
      )
    }
    const open = secret.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path)
    assert.deepEqual(open, [])
  })

  test('only key files contain a private key', () => {
    const holds = filesOf(machine.home).filter(({ text }) => /PRIVATE KEY|client-key-data/.test(text))
    assert.deepEqual(
      holds.map(({ path }) => path).filter((path) => !/\.key$|kubeconfig$|\/pki\/(?:.*-key|[^/]*)\.pem$/.test(path)),
      [],
    )
  })

  test('a kubelet reads only the objects of its pods', async () => {
    await mkdir(join(machine.home, 'images', 'tools/shell', 'v1'), { recursive: true })
    for (const name of ['used', 'other']) await machine.kubectl(['create', 'secret', 'generic', name, '--from-literal=k=v'])
    const container = {
      name: 'main',
      image: 'tools/shell:v1',
      command: ['sh', '-c', 'test "$VALUE" = v && exec sleep 1000'],
      env: [{ name: 'VALUE', valueFrom: { secretKeyRef: { name: 'used', key: 'k' } } }],
    }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reader' },
      spec: { terminationGracePeriodSeconds: 0, containers: [container] },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(pod))
    await machine.kubectl(['wait', 'pod/reader', '--for=condition=Ready', '--timeout=20s'])
    const node = textAt(await machine.getJson('pod', 'reader'), 'spec.nodeName')
    const asKubelet = (...args: string[]) => machine.tryKubectl(['--kubeconfig', join(machine.home, 'nodes', node, 'kubeconfig'), ...args])
    const may = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await asKubelet(...args)
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    }
    const mayNot = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await asKubelet(...args)
      assert.notEqual(code, 0, args.join(' '))
      assert.match(stderr, /[Ff]orbidden/, args.join(' '))
    }
    await may('get', 'secret', 'used')
    await mayNot('get', 'secret', 'other')
    await mayNot('get', 'secrets', '-A')
    await mayNot('create', 'token', 'default')
    await mayNot('run', 'mine', '--image=tools/shell:v1')
    await may('label', 'node', node, 'mine=yes')
    await mayNot('label', 'node', node, 'node-restriction.kubernetes.io/trusted=yes')
    await mayNot('create', 'configmap', 'mine')
    await mayNot('create', 'clusterrolebinding', 'up', '--clusterrole=cluster-admin', `--user=system:node:${node}`)
    await machine.kubectl(['delete', 'pod', 'reader'])
  })

  suite('an edit user of a namespace', () => {
    const asEve = (...args: string[]) => machine.tryKubectl(['-n', 'dev', '--as=eve', ...args])
    const shell = { name: 'main', image: 'tools/shell:v1', command: ['sleep', '1000'] }
    const apply = async (name: string, spec: object, labels: object = {}): Promise<string> => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { terminationGracePeriodSeconds: 0, ...spec } }
      const { stderr } = await machine.tryKubectl(['-n', 'dev', '--as=eve', 'create', '-f', '-'], JSON.stringify(pod))
      return stderr
    }
    before(async () => {
      await mkdir(join(machine.home, 'images', 'tools/shell', 'v1'), { recursive: true })
      await machine.kubectl(['create', 'namespace', 'dev'])
      await machine.kubectl(['-n', 'dev', 'create', 'rolebinding', 'eve', '--clusterrole=edit', '--user=eve'])
    })

    test('runs pods that cannot read the credentials of the machine', { skip: process.geteuid?.() !== 0 }, async () => {
      assert.equal(await apply('plain', { containers: [shell] }), '')
      await machine.kubectl(['-n', 'dev', 'wait', 'pod/plain', '--for=condition=Ready', '--timeout=30s'])
      const { stdout } = await asEve('exec', 'plain', '--', 'id', '-u')
      assert.ok(Number(stdout) >= 524_288, stdout)
      for (const path of [join(machine.home, 'kubeconfig'), join(machine.home, 'apiserver', 'state.db'), '/etc/shadow']) {
        assert.notEqual((await asEve('exec', 'plain', '--', 'cat', path)).code, 0, path)
      }
      const token = await asEve('exec', 'plain', '--', 'head', '-c', '3', '/var/run/secrets/kubernetes.io/serviceaccount/token')
      assert.equal(token.stdout, 'eyJ', token.stderr)
    })

    test('cannot become root of the machine, and the error has a remedy', { skip: process.geteuid?.() !== 0 }, async () => {
      const rooted = {
        privileged: { containers: [{ ...shell, securityContext: { privileged: true } }] },
        root: { containers: [{ ...shell, securityContext: { runAsUser: 0 } }] },
        host: { containers: [shell], volumes: [{ name: 'host', hostPath: { path: '/' } }] },
      }
      for (const [name, spec] of Object.entries(rooted)) assert.doesNotMatch(await apply(name, spec), /error/i)
      for (const name of Object.keys(rooted)) {
        const path = 'jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerConfigError'
        await machine.kubectl(['-n', 'dev', 'wait', `pod/${name}`, `--for=${path}`, '--timeout=30s'])
        const message = textAt(await machine.getJson('pod', name, '-n', 'dev'), 'status.containerStatuses.0.state.waiting.message')
        assert.match(message, /pod-security\.kubernetes\.io\/enforce=privileged/)
      }
    })

    test('cannot create launcher pods, which begin as root', async () => {
      assert.match(await apply('fake', { containers: [shell] }, { 'kubevirt.io': 'virt-launcher' }), /only virt-controller may create them/)
      const image = 'steadyvm.io/virt-launcher:v1'
      assert.match(await apply('fake', { containers: [{ ...shell, image }] }), /only virt-controller may create them/)
    })
  })

  test('claims with unsupported settings get a warning', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'copy' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Mi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'golden' },
      },
    }
    const copy = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(claim))
    assert.match(copy.stderr, /Warning:.*stays Pending.*dataSource/)
  })

  test('no component is refused by RBAC', () => {
    const logs = filesOf(machine.home).filter(({ path }) => path.endsWith('.log'))
    assert.ok(logs.length > 1)
    const refused = logs.flatMap(({ text }) =>
      text
        .split('\n')
        // What this test itself has tried is in the audit log.
        .filter((line) => line.includes('is forbidden:') && !line.includes('"userAgent":"kubectl')),
    )
    assert.deepEqual(refused, [])
  })

  test('the audit log records users and requests', async () => {
    await machine.kubectl(['create', 'secret', 'generic', 'hidden', '--from-literal=password=hunter2'])
    await machine.kubectl(['create', 'serviceaccount', 'bot'])
    const token = (await machine.kubectl(['create', 'token', 'bot'])).trim()
    const log = readFileSync(join(machine.home, 'logs', 'audit.log'), 'utf8')
    const events = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { user: { username: string }; verb: string; objectRef?: { name?: string } })
    assert.ok(
      events.some(({ user, verb, objectRef }) => user.username === 'kubernetes-admin' && verb === 'create' && objectRef?.name === 'hidden'),
    )
    assert.ok(!log.includes('hunter2') && !log.includes(Buffer.from('hunter2').toString('base64')) && !log.includes(token))
  })
})
