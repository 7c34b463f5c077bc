import type { ClusterRoleBinding, RoleBinding } from '#api/rbac/v1/role.ts'
import * as rbac from '#api/rbac/v1/resources.ts'
import { ageColumn, columnsOf, createdAtColumn, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy, TableColumn } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { immutableField } from './immutable-field.ts'

type Binding = RoleBinding | ClusterRoleBinding

/** Roles are named after what they are for: `system:node`. */
function define(draft: ResourceDraft): ResourceDefinition {
  return defineResource({ nameKind: 'path-segment', ...draft, schema: schemaOf(draft) })
}

const group = 'rbac.authorization.k8s.io'

const bindingStrategy: Strategy = {
  prepareForCreate: (object) => withGroups(object as Binding),
  prepareForUpdate: (object) => withGroups(object as Binding),
  validate: (object, old) =>
    old === undefined ? [] : immutableField('roleRef', (object as Binding).roleRef, (old as Binding).roleRef, 'cannot change roleRef'),
}

/** Old manifests leave the groups out. */
function withGroups(binding: Binding): Binding {
  const { roleRef, subjects } = binding
  return {
    ...binding,
    ...(roleRef === undefined
      ? {}
      : { roleRef: { ...roleRef, apiGroup: roleRef.apiGroup === undefined || roleRef.apiGroup === '' ? group : roleRef.apiGroup } }),
    ...(subjects === undefined || subjects === null
      ? {}
      : {
          subjects: subjects.map((subject) =>
            subject.kind === 'ServiceAccount' ? subject : { ...subject, apiGroup: subject.apiGroup ?? group },
          ),
        }),
  }
}

function subjectNames({ subjects }: Binding, kind: string): string {
  return (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ')
}

const column = columnsOf<Binding>()
const wide = { priority: 1 }
const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('Role', ({ roleRef }) => `${roleRef?.kind}/${roleRef?.name}`),
  ageColumn,
  column('Users', (binding) => subjectNames(binding, 'User'), wide),
  column('Groups', (binding) => subjectNames(binding, 'Group'), wide),
  column('ServiceAccounts', (binding) => subjectNames(binding, 'ServiceAccount'), wide),
]
const roleColumns: readonly TableColumn[] = [nameColumn, createdAtColumn]

/** Resources of `rbac.authorization.k8s.io/v1`. */
export function rbacDefinitions(): ResourceDefinition[] {
  return [
    define({ ...rbac.roles, columns: roleColumns }),
    define({ ...rbac.clusterRoles, columns: roleColumns }),
    define({ ...rbac.roleBindings, columns: bindingColumns, strategy: bindingStrategy }),
    define({ ...rbac.clusterRoleBindings, columns: bindingColumns, strategy: bindingStrategy }),
  ]
}
