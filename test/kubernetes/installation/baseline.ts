import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { TestCommands } from '../../support/machine.ts'

/** Objects and configuration of a cluster on which no test has run. */
interface Baseline {
  readonly kubevirt: KubeVirtObject
  /** Names as kubectl prints them: cluster-wide, and in the namespace `default`. */
  readonly objects: Readonly<Record<Scope, readonly string[]>>
}

interface KubeVirtObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: object
}

const scopes = ['cluster', 'default'] as const
type Scope = (typeof scopes)[number]

/** Objects that come and go by themselves, or belong to the test cluster. */
const excluded =
  /^(events|leases|endpoints|endpointslices|csinodes|csistoragecapacities|componentstatuses|nodes|persistentvolumes|volumeattachments|ipaddresses|apiservices)(\.|$)/
const kubevirt = ['kubevirt', 'kubevirt', '-n', 'kubevirt'] as const
const limitMs = 180_000

/**
 * Returns a cluster to the state that it had at the first call, which stores that in `home`:
 * removes objects, restores the KubeVirt object, and replaces components that were restarted.
 * `install` installs the system again; `installed` waits for what it asks for.
 */
export async function restoreBaseline(
  home: string,
  { kubectl, tryKubectl, getJson, steadyvm }: TestCommands,
  { install, installed }: { readonly install: () => Promise<void>; readonly installed: () => Promise<void> },
): Promise<void> {
  const file = join(home, 'baseline.json')
  const readKubeVirt = async (): Promise<KubeVirtObject> => (await getJson(...kubevirt)) as unknown as KubeVirtObject
  if (!existsSync(file)) {
    const objects = { cluster: await list('cluster'), default: await list('default') }
    writeFileSync(file, JSON.stringify({ kubevirt: await readKubeVirt(), objects } satisfies Baseline))
    return
  }
  const baseline = JSON.parse(readFileSync(file, 'utf8')) as Baseline
  await kubectl(['uncordon', ...(await nodeNames())])
  await removeHyperConverged()
  await restoreKubeVirt()
  await kubectl(['delete', 'vm,vmi', '--all', '-n', 'default', '--timeout=120s'])
  await removeOthers()
  await kubectl(['delete', 'events', '--all', '-n', 'default'])
  await replaceRestarted()

  async function nodeNames(): Promise<readonly string[]> {
    return (await kubectl(['get', 'nodes', '-o', 'name'])).trim().split('\n')
  }

  async function list(scope: Scope): Promise<readonly string[]> {
    const where = scope === 'cluster' ? ['--namespaced=false'] : ['--namespaced=true']
    const kinds = (await kubectl(['api-resources', '--verbs=list,delete', '-o', 'name', ...where])).trim().split('\n')
    const wanted = kinds.filter((kind) => !excluded.test(kind)).join()
    // A kind that has just been removed is an error, and the others are listed.
    const { stdout } = await tryKubectl(['get', wanted, '-o', 'name', ...(scope === 'cluster' ? [] : ['-n', scope])])
    return stdout.split('\n').filter((name) => name !== '')
  }

  /** Its policies refuse the deletion of its CRD before. */
  async function removeHyperConverged(): Promise<void> {
    if ((await tryKubectl(['get', 'hco', '-n', 'kubevirt'])).code !== 0) return
    const { code, stderr } = await steadyvm('uninstall', '--keep-components', '--yes')
    if (code !== 0) throw new Error(`HyperConverged cannot be removed: ${stderr}`)
  }

  async function restoreKubeVirt(): Promise<void> {
    if ((await tryKubectl(['get', ...kubevirt])).code !== 0) {
      await install()
    } else {
      const { metadata, spec } = await readKubeVirt()
      const keys = Object.keys(metadata.annotations ?? {}).filter((key) => !(key in (baseline.kubevirt.metadata.annotations ?? {})))
      if (keys.length > 0) await kubectl(['annotate', ...kubevirt, ...keys.map((key) => `${key}-`)])
      if (!isDeepStrictEqual(spec, baseline.kubevirt.spec)) {
        const patch = [{ op: 'replace', path: '/spec', value: baseline.kubevirt.spec }]
        await kubectl(['patch', ...kubevirt, '--type=json', '-p', JSON.stringify(patch)])
      }
    }
    await installed()
  }

  /** Deletes all objects that the baseline does not have, until there are none. */
  async function removeOthers(): Promise<void> {
    const deadline = Date.now() + limitMs
    for (;;) {
      let left = ''
      for (const scope of scopes) {
        const known = new Set(baseline.objects[scope])
        const others = (await list(scope)).filter((name) => !known.has(name))
        if (others.length === 0) continue
        left += others.join(' ')
        await tryKubectl(['delete', '--wait=false', '--ignore-not-found', ...(scope === 'cluster' ? [] : ['-n', scope]), ...others])
      }
      if (left === '') return
      if (Date.now() > deadline) throw new Error(`Left by the last test: ${left}`)
      await sleep(500)
    }
  }

  /** A container that was restarted has a back-off, which the next test would meet. */
  async function replaceRestarted(): Promise<void> {
    const column = 'custom-columns=NAME:.metadata.name,RESTARTS:.status.containerStatuses[*].restartCount'
    const rows = (await kubectl(['get', 'pods', '-n', 'kubevirt', '--no-headers', '-o', column])).trim().split('\n')
    const restarted = rows.filter((row) => !row.trimEnd().endsWith(' 0')).map((row) => row.split(' ')[0] ?? '')
    if (restarted.length === 0) return
    await kubectl(['delete', 'pods', '-n', 'kubevirt', ...restarted])
    await installed()
  }
}
