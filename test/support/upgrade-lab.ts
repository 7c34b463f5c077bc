import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@stricli/core'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { namespaces, nodes, pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createApplication } from '#cli/app.ts'
import { componentUser } from '#api/access/component-users.ts'
import { testContext } from '#cli/cli-context.fixture.ts'
import type { Client } from '#client/client.ts'
import { ensureComponentAccess } from '#machine/control-plane/component-access.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { startAdmission } from './admission.ts'
import { startTestApi } from './api-server.ts'
import { newestKubectl, runCommand } from './kubectl.ts'
import { eventually, repository } from './machine.ts'
import { writeRelease, type ReleaseChanges } from './fakes/fake-release.ts'

/** A finding as the command line prints it. */
export interface Found {
  readonly id: string
  readonly object: string
  readonly severity: string
  readonly command: string
}

/**
 * A valid cluster without processes, with the real API server, admission, kubectl and command line.
 */
export interface UpgradeLab extends AsyncDisposable {
  /** Client of the components. Webhooks do not prevent its writes of status. */
  readonly client: Client
  readonly releases: string
  /** Runs `upgrade check --to` in this process. */
  check(
    to: string,
  ): Promise<{ readonly code: number; readonly findings: readonly Found[]; readonly gaps: readonly string[]; readonly text: string }>
  /** Runs the command of a finding in a shell. */
  shell(command: string): Promise<{ readonly code: number; readonly output: string }>
  release(version: string, changes?: ReleaseChanges): void
  /** Runs without webhooks, to create objects that older releases admitted. */
  unasked<T>(act: () => Promise<T>): Promise<T>
  readonly create: <T extends KubeObject>(resource: ResourceType<T>, object: T) => Promise<T>
}

const key = { name: 'kubevirt', namespace: 'kubevirt' }

/** Starts a lab. */
export async function startUpgradeLab(): Promise<UpgradeLab> {
  const server = await startTestApi()
  const client = server.api.client({ username: componentUser('virt-controller'), groups: ['system:masters'] })
  const { directory } = server
  const releases = join(directory, 'home', 'releases')
  const binaries = join(directory, 'bin')
  mkdirSync(binaries)
  symlinkSync(newestKubectl().path, join(binaries, 'kubectl'))
  symlinkSync(join(repository, 'bin', 'steadyvm'), join(binaries, 'steadyvm'))
  const env = {
    ...process.env,
    PATH: `${binaries}:${process.env['PATH'] ?? ''}`,
    KUBECONFIG: server.kubeconfig,
    KUBECACHEDIR: join(directory, 'kubectl-cache'),
    STEADYVM_HOME: join(directory, 'home'),
    NO_COLOR: '1',
  } as Record<string, string>
  const definitionsText = readFileSync(join(repository, 'manifests', 'crds.generated.json'), 'utf8')
  const create = <T extends KubeObject>(resource: ResourceType<T>, object: T): Promise<T> => createWhole(client, resource, object)

  for (const definition of JSON.parse(definitionsText) as CustomResourceDefinition[])
    await client.create(customResourceDefinitions, definition)
  await client.create(namespaces, { metadata: { name: key.namespace } })
  await ensureComponentAccess(client, key.namespace)
  const isServed = (): Promise<boolean> =>
    Promise.all([virtualMachines, kubeVirts].map((resource) => client.list(resource as ResourceType<KubeObject>))).then(
      () => true,
      () => false,
    )
  await eventually(isServed, () => 'VMs are not served')

  // Simulated nodes send no heartbeats: no time passes in the lab, however slow the machine.
  const madeMs = systemClock.now()
  let kubevirt: KubeVirt | undefined
  const admission = await startAdmission(client, () => kubevirt)

  const lab: UpgradeLab = {
    client,
    releases,
    create,
    async check(to) {
      kubevirt = await client.get(kubeVirts, key)
      const { context, printed } = testContext({ env })
      await run(createApplication('v0.0.0'), ['upgrade', 'check', '--to', to, '-o', 'json'], { ...context, now: () => madeMs })
      const code = Number(context.process.exitCode ?? 0)
      const { findings = [], gaps = [] } = (printed.stdout === '' ? {} : JSON.parse(printed.stdout)) as {
        findings?: Found[]
        gaps?: string[]
      }
      return { code, findings, gaps, text: printed.stdout + printed.stderr }
    },
    async shell(command) {
      const { code, stdout, stderr } = await runCommand('/bin/sh', ['-c', command], { env })
      return { code, output: stdout + stderr }
    },
    release: (version, changes = {}) => writeRelease(releases, version, definitionsText, changes),
    async unasked(act) {
      await admission.unregister()
      try {
        return await act()
      } finally {
        await admission.register()
      }
    },
    async [Symbol.asyncDispose]() {
      await admission[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
  for (const version of [clean.from, clean.to]) lab.release(version)
  await fill(lab)
  await admission.register()
  return lab
}

async function fill({ create, client }: UpgradeLab): Promise<void> {
  await create(kubeVirts, clean.kubevirt())
  for (const name of ['n1', 'n2', 'n3']) {
    await create(nodes, clean.node(name, Date.now()))
    // The leases of these nodes are not renewed.
    await client.patch(nodes, { name }, { type: 'merge', body: { spec: { taints: null } } })
    await create(pods, clean.agent(name))
  }
  for (const name of ['virt-api', 'virt-controller']) await create(deployments, clean.deployment(name))
  await addMachine(create, clean.machine('web', 'n1'))
}

/** Adds a VM with its guest, pod and PodDisruptionBudget. Returns the stored guest. */
export async function addMachine(create: UpgradeLab['create'], { vm, guest, pod, budget }: clean.Machine): Promise<void> {
  await create(virtualMachines, vm)
  const { metadata } = await create(virtualMachineInstances, guest)
  const label = { 'kubevirt.io/created-by': metadata.uid ?? '' }
  await create(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...label } } })
  const selector = { matchLabels: label }
  await create(podDisruptionBudgets, { ...budget, metadata: { ...budget.metadata, labels: label }, spec: { ...budget.spec, selector } })
}

/** Deletes the objects of a VM except its PodDisruptionBudget, which then selects nothing. */
export async function removeMachine(client: Client, name: string, namespace: string = 'default'): Promise<void> {
  await client.delete(virtualMachines, { name, namespace })
  await client.delete(virtualMachineInstances, { name, namespace })
  await client.delete(pods, { name: clean.machine(name, '').pod.metadata.name ?? '', namespace }, { gracePeriodSeconds: 0 })
}

/** Creates an object and sets its status, through the status subresource if the kind has one. */
async function createWhole<T extends KubeObject>(client: Client, resource: ResourceType<T>, object: T): Promise<T> {
  const { uid: _uid, ...metadata } = object.metadata ?? {}
  const created = await client.create<T>(resource, { ...object, metadata })
  const { status } = object as { status?: object }
  if (status === undefined || resource.kind === 'VirtualMachineInstance') return created
  const place = { name: metadata.name ?? '', ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) }
  return client.patch(resource, place, { type: 'merge', body: { status } }, { subresource: 'status' })
}
