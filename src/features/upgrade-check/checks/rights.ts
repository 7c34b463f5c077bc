import { inNamespace, quoted, type Finding } from '../finding.ts'
import { splitResource, type Right, type UpgradeInventory } from '../inventory.ts'

/**
 * Finds rights that the operator needs and does not have, with one command for each resource and
 * namespace.
 */
export function rightsFindings({ operator, to }: UpgradeInventory): Finding[] {
  const byResource = Map.groupBy(
    operator.missing,
    ({ group, resource, namespace = '' }) => `${namespace}/${group === '' ? resource : `${resource}.${group}`}`,
  )
  return [...byResource].map(([place, rights]) => {
    const [namespace = '', ...rest] = place.split('/')
    const resource = rest.join('/')
    const where = namespace === '' ? '' : ` in namespace ${namespace}`
    return {
      id: 'OperatorLacksRight',
      severity: 'blocking',
      object: `user/${operator.user}/${resource}`,
      what: `The operator (${operator.user}) may not ${verbsOf(rights).join(', ')} ${resource}${where}, which ${to} needs`,
      why: 'The upgrade would stop half-way: nobody can install, or grant, what they may not do themselves',
      command: grant(operator.user, namespace === '' ? undefined : namespace, rights),
    }
  })
}

function verbsOf(rights: readonly Right[]): string[] {
  return [...new Set(rights.map(({ verb }) => verb))]
}

/** `kubectl create role` expects `resource.group/subresource`. */
function grant(user: string, namespace: string | undefined, rights: readonly Right[]): string {
  const [{ group, resource } = { group: '', resource: '' }] = rights
  const { plural, subresource } = splitResource(resource)
  const name = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
  const names = rights.flatMap((right) => right.name ?? [])
  const only = names.length === rights.length ? [...new Set(names)].map((one) => ` --resource-name=${one}`).join('') : ''
  const kind = namespace === undefined ? 'clusterrole' : 'role'
  const role = `virt-operator-${name.replaceAll('/', '-').replaceAll('*', 'all')}`
  const place = inNamespace(namespace)
  const create = `kubectl create ${kind} ${role}${place} --verb=${verbsOf(rights).join(',')} --resource=${quoted(name)}${only}`
  return `${create} && kubectl create ${kind}binding ${role}${place} --${kind}=${role} ${subject(user)}`
}

function subject(user: string): string {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? []
  return namespace === undefined ? `--user=${user}` : `--serviceaccount=${namespace}:${name ?? ''}`
}
