import { quoted, type Finding } from '../finding.ts'
import type { Right, UpgradeWorld } from '../world.ts'

/** What the operator would need and may not do. One command for each resource. */
export function rightsFindings({ operator, to }: UpgradeWorld): Finding[] {
  const byResource = Map.groupBy(operator.missing, ({ group, resource }) => (group === '' ? resource : `${resource}.${group}`))
  return [...byResource].map(([resource, rights]) => {
    const verbs = [...new Set(rights.map(({ verb }) => verb))]
    const role = `virt-operator-${resource.replaceAll('/', '-').replaceAll('*', 'all')}`
    return {
      id: 'OperatorLacksRight',
      severity: 'blocking',
      object: `user/${operator.user}/${resource}`,
      what: `The operator (${operator.user}) may not ${verbs.join(', ')} ${resource}, which ${to} needs`,
      why: 'The upgrade would stop half-way: nobody can install, or grant, what they may not do themselves',
      command: `${roleCommand(role, rights)} && kubectl create clusterrolebinding ${role} --clusterrole=${role} ${subject(operator.user)}`,
    }
  })
}

/** `kubectl create clusterrole` wants the group between resource and subresource. */
function roleCommand(role: string, rights: readonly Right[]): string {
  const [{ group, resource } = { group: '', resource: '' }] = rights
  const [plural = '', subresource] = resource.split('/')
  const name = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
  const names = rights.flatMap((right) => right.name ?? [])
  const only = names.length === rights.length ? [...new Set(names)].map((one) => ` --resource-name=${one}`).join('') : ''
  return `kubectl create clusterrole ${role} --verb=${[...new Set(rights.map(({ verb }) => verb))].join(',')} --resource=${quoted(name)}${only}`
}

function subject(user: string): string {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? []
  return namespace === undefined ? `--user=${user}` : `--serviceaccount=${namespace}:${name ?? ''}`
}
