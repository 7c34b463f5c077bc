import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'
import { revisionFor, with_ } from '#features/revision-report/inventory.fixture.ts'
import { startTestApi, type TestApi } from '../support/api-server.ts'
import { runCommand, type CommandResult } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { repeats } from '../support/effort.ts'

/** Number of healthy revisions among the faulty ones. The requirement is about 20,000. */
const many = repeats({ default: 400, long: 2_000 })
const writers = 50

interface Document {
  readonly revisions: number
  readonly findings: readonly { readonly state: string; readonly namespace: string; readonly revision: string }[]
  readonly versions: readonly { readonly version: string; readonly safeToRemove: string }[]
}

suite('steadyvm revisions on a cluster without controllers', () => {
  let server: TestApi
  let client: NodeClient
  before(async () => {
    server = await startTestApi()
    client = createNodeClient((await loadKubeconfig({ path: server.kubeconfig, env: {} })).http)
    const definitions = JSON.parse(readFileSync(join(repository, 'manifests', 'crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
    for (const definition of definitions) await client.create(customResourceDefinitions, definition)
    await client.create(namespaces, { metadata: { name: 'team' } })
    await eventually(
      () =>
        client.list(virtualMachines).then(
          () => true,
          () => false,
        ),
      () => 'VMs are not served',
    )
    await fill()
  })
  after(async () => {
    client[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })

  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand(join(repository, 'bin', 'steadyvm'), ['revisions', ...args, '--kubeconfig', server.kubeconfig], { env: process.env })
  const report = async (): Promise<{ code: number; document: Document; isSafe: string | undefined }> => {
    const { code, stdout, stderr } = await run('-A', '-o', 'json')
    assert.notEqual(stdout, '', stderr)
    const document = JSON.parse(stdout) as Document
    return { code, document, isSafe: document.versions.find(({ version }) => version === 'v1alpha2')?.safeToRemove }
  }

  /** Creates VMs that reference their revisions in the spec, like those of KubeVirt 1.4. */
  async function fill(): Promise<void> {
    let next = 0
    const write = async (): Promise<void> => {
      while (next < many / 2) {
        const vm = await client.create<VirtualMachine>(virtualMachines, vmOf(`vm-${next++}`))
        for (const family of ['instancetype', 'preference'] as const) await client.create(controllerRevisions, revisionFor(vm, family))
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
  }

  test('finds ten faults, and calls the old version safe to remove when the last is fixed', async () => {
    const healthy = await report()
    assert.deepEqual([healthy.code, healthy.isSafe, healthy.document.findings], [0, 'yes', []])
    assert.equal(healthy.document.revisions, many)

    const faults = await makeFaults(client)
    const found = await report()
    assert.equal(found.code, 2)
    assert.deepEqual(
      found.document.findings.map(({ state, namespace, revision }) => `${state} ${namespace}/${revision}`).toSorted(),
      faults.map(({ state, revision }) => `${state} team/${revision}`).toSorted(),
    )
    const names = (await run('-o', 'name')).stdout.trim().split('\n')
    assert.equal(names.length, faults.length)
    const text = await run()
    assert.match(text.stdout, /v1alpha2 .* no: 5 copies, 3 unreadable copies, 2 missing copies\n/)

    for (const { mend } of faults) {
      assert.equal((await report()).isSafe, 'no')
      await mend()
    }
    assert.equal((await report()).isSafe, 'yes')
  })

  test('reads one namespace on request, and then calls no version safe', async () => {
    const { code, stdout } = await run('-n', 'team', '-o', 'json')
    const { versions, revisions } = JSON.parse(stdout) as Document
    assert.deepEqual([code, revisions, versions[0]?.safeToRemove], [0, 0, 'unknown'])
  })

  test('exits with code 1 without read access', async () => {
    const { code, stderr } = await run('-A', '--context', 'nobody')
    assert.equal(code, 1)
    assert.match(stderr, /^error: /)
  })
})

function vmOf(name: string, revisions?: { readonly instancetype: string }): VirtualMachine {
  const bare = { metadata: { name, namespace: revisions === undefined ? 'default' : 'team' } }
  const namesOf = (family: 'instancetype' | 'preference'): string => revisionFor(bare, family).metadata.name ?? ''
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: bare.metadata,
    spec: {
      runStrategy: 'Halted',
      instancetype: { name: 'x', revisionName: revisions?.instancetype ?? namesOf('instancetype') },
      ...(revisions === undefined ? { preference: { name: 'x', revisionName: namesOf('preference') } } : {}),
      template: { spec: { domain: { devices: {} } } },
    },
  }
}

interface Fault {
  readonly state: string
  readonly revision: string
  readonly mend: () => Promise<unknown>
}

/**
 * Creates three old revisions that VMs reference, two without owner, three undecodable ones, and
 * two missing ones.
 */
async function makeFaults(client: NodeClient): Promise<readonly Fault[]> {
  const old = (name: string): ControllerRevision => revisionFor({ metadata: { name, namespace: 'team' } }, 'instancetype', 'v1alpha2')
  const make = async (
    state: string,
    name: string,
    change: (revision: ControllerRevision) => ControllerRevision | undefined,
  ): Promise<Fault> => {
    const revision = old(name).metadata.name ?? ''
    const hasVm = state !== 'orphaned'
    const vm = hasVm ? await client.create<VirtualMachine>(virtualMachines, vmOf(name, { instancetype: revision })) : undefined
    const owners = vm === undefined ? [] : revisionFor(vm, 'instancetype').metadata.ownerReferences
    const stored = change(with_(old(name), { ownerReferences: owners }))
    if (stored !== undefined) await client.create(controllerRevisions, stored)
    return {
      state,
      revision,
      async mend() {
        if (stored !== undefined) await client.delete(controllerRevisions, { namespace: 'team', name: revision })
        if (hasVm) await client.delete(virtualMachines, { namespace: 'team', name })
      },
    }
  }
  const withData = (data: Record<string, unknown>) => (revision: ControllerRevision) => ({ ...revision, data })
  return [
    await make('outdated', 'one', (revision) => revision),
    await make('outdated', 'two', (revision) => revision),
    await make('outdated', 'three', (revision) => revision),
    await make('orphaned', 'four', (revision) => revision),
    await make('orphaned', 'five', (revision) => revision),
    await make('undecodable', 'six', withData({ apiVersion: 'instancetype.kubevirt.io/v0', kind: 'VirtualMachineInstancetype' })),
    await make('undecodable', 'seven', withData({ spec: 'bm90IGpzb24=' })),
    await make('undecodable', 'eight', withData({})),
    await make('missing', 'nine', () => undefined),
    await make('missing', 'ten', () => undefined),
  ]
}
