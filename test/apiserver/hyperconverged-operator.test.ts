import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { configMaps, namespaces, secrets } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AuditEvent } from '#apiserver/audit/audit-event.ts'
import { createAuditor } from '#apiserver/audit/auditor.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { hyperConvergedKey, hyperConvergedManifests, operatorName } from '#features/hyperconverged/index.ts'
import { repeats } from '../support/effort.ts'
import { newestKubectl, noKubectl, runCommand } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { startTestApi, type TestApi } from '../support/api-server.ts'

const { namespace } = hyperConvergedKey
const account = { token: 'token-of-the-operator', username: `system:serviceaccount:${namespace}:${operatorName}`, groups: [] }
/** ConfigMaps and Secrets of others, together. */
const foreign = repeats({ default: 2_000, long: 50_000 })
/** Writes that are under way at a time. */
const parallel = 50
const quietMs = 2_000
const writing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

suite('the process of hyperconverged-operator', { skip: noKubectl }, () => {
  const requests: AuditEvent[] = []
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [{ level: 'Metadata' as const, users: [account.username] }],
  } as const
  let api: TestApi
  let operator: ChildProcess
  let client: Client
  let output = ''

  before(async () => {
    api = await startTestApi({
      tokens: [account],
      audit: createAuditor(
        policy,
        (event) => void requests.push(event),
        () => Date.now(),
      ),
    })
    client = api.api.client({ username: 'admin', groups: ['system:masters'] })
    await client.create(namespaces, { metadata: { name: namespace } })
    const read = (file: string): KubeObject[] => JSON.parse(readFileSync(join(repository, 'manifests', file), 'utf8')) as KubeObject[]
    const ofKubeVirt = read('crds.generated.json').filter(({ metadata }) => metadata?.name === 'kubevirts.kubevirt.io')
    const definitions = [...read('hyperconverged-crds.generated.json'), ...ofKubeVirt]
    await apply(hyperConvergedManifests({ version: 'v1.2.3', registry: 'test', definitions }))
    const { code, stderr } = await kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s'])
    assert.equal(code, 0, stderr)
    await client.create(hyperConvergeds, { metadata: { ...hyperConvergedKey }, spec: {} })
    const own = join(api.directory, 'operator.kubeconfig')
    const flags = ['--kubeconfig', own, '--address', '127.0.0.1', '--port', '0', '--health-port', '0']
    const config = JSON.parse(readFileSync(api.kubeconfig, 'utf8')) as object
    await writeFile(own, JSON.stringify({ ...config, 'current-context': account.username }), { mode: 0o600 })
    operator = spawn(process.execPath, [join(repository, 'src', 'cmd', `${operatorName}.ts`), ...flags], {
      env: { ...process.env, POD_NAME: 'one' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [operator.stdout, operator.stderr]) stream?.on('data', (bytes: Buffer) => void (output += bytes.toString()))
  })
  after(async () => {
    operator.kill('SIGKILL')
    if (operator.exitCode === null) await once(operator, 'exit')
    await api[Symbol.asyncDispose]()
  })

  const kubectl = (args: readonly string[], input = ''): ReturnType<typeof runCommand> =>
    runCommand(newestKubectl().path, ['--kubeconfig', api.kubeconfig, '--cache-dir', join(api.directory, 'cache'), ...args], { input })
  /** CRDs first: kubectl has to know a kind before it applies an object of it. */
  const apply = async (objects: readonly KubeObject[]): Promise<void> => {
    const { code, stderr } = await kubectl(
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    )
    assert.equal(code, 0, stderr)
  }
  const ofOperator = (from = 0): readonly string[] =>
    requests
      .slice(from)
      .filter(({ objectRef }) => objectRef?.resource !== 'leases')
      .map(({ verb, requestURI, responseStatus }) => `${verb} ${requestURI} ${responseStatus?.code ?? ''}`)
  const writesOf = (from = 0): readonly string[] => ofOperator(from).filter((request) => writing.has(request.split(' ', 1)[0] ?? ''))
  const settled = async (): Promise<void> => {
    for (let count = -1; count !== writesOf().length; await sleep(quietMs)) count = writesOf().length
  }
  const migrationTimeout = async (): Promise<number | undefined> => {
    const [kubevirt] = (await found(client.list(kubeVirts)))?.items ?? []
    return kubevirt?.spec.configuration?.migrations?.progressTimeout
  }
  /** Runs a step for each of the foreign objects, some at a time. */
  const each = async (step: (index: number) => Promise<unknown>): Promise<void> => {
    let next = 0
    const run = async (): Promise<void> => {
      for (let index = next++; index < foreign; index = next++) await step(index)
    }
    await Promise.all(Array.from({ length: parallel }, run))
  }

  test(`neither reads nor writes anything while ${foreign} ConfigMaps and Secrets of others change`, async (context) => {
    await eventually(
      async () => (await migrationTimeout()) === 150,
      () => output,
    )
    await settled()
    assert.ok(
      writesOf().some((request) => request.startsWith('patch /apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/')),
      writesOf().join('\n'),
    )
    const before = { pss: pssOf(operator.pid), requests: requests.length }
    await client.create(namespaces, { metadata: { name: 'tenant' } })
    const data = { text: 'x'.repeat(500) }
    const place = (index: number): { readonly namespace: string; readonly name: string } => ({
      namespace: 'tenant',
      name: `of-others-${index}`,
    })
    await each((index) =>
      index % 2 === 0
        ? client.create(configMaps, { metadata: place(index), data })
        : client.create(secrets, { metadata: place(index), stringData: data }),
    )
    await each((index) =>
      client.patch(index % 2 === 0 ? configMaps : secrets, place(index), {
        type: 'merge',
        body: { metadata: { labels: { changed: 'yes' } } },
      }),
    )
    await sleep(quietMs)
    const after = pssOf(operator.pid)
    const mib = (kib: number): string => `${(kib / 1024).toFixed(1)} MiB`
    context.diagnostic(
      `PSS ${mib(before.pss)} before, ${mib(after)} after ${foreign} objects were created and changed; load ${loadavg()
        .map((value) => value.toFixed(1))
        .join(' ')}`,
    )
    assert.deepEqual(writesOf(before.requests), [])
    // What is watched is named: nothing of others is cached.
    const wide = ofOperator().filter((request) => {
      const [verb = '', uri = ''] = request.split(' ')
      const path = uri.split('?', 1)[0] ?? ''
      const reads = verb === 'list' || verb === 'watch'
      return (
        reads &&
        /\/(configmaps|secrets)$/.test(path) &&
        !(path.includes(`/namespaces/${namespace}/`) && /metadata\.name|labelSelector/.test(uri))
      )
    })
    assert.deepEqual(wide, [])
    assert.ok(
      ofOperator().some((request) => request.startsWith('watch ') && request.includes('/secrets?')),
      ofOperator().join('\n'),
    )
    // It has been there all the time.
    const virtualization = { liveMigrationConfig: { progressTimeout: 99 } }
    await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { spec: { virtualization } } })
    await eventually(
      async () => (await migrationTimeout()) === 99,
      () => output,
    )
    assert.notDeepEqual(writesOf(before.requests), [])
  })
})

/** Memory of a process in KiB; shared pages count by their share. */
function pssOf(pid: number | undefined): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
}
