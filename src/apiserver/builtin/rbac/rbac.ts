import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'
import * as rbac from '#api/rbac/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { ageColumn, columnsOf, createdAtColumn, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy, TableColumn } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { goStruct, invalidShown } from '../checks/go-values.ts'
import { validateBinding, validateRules } from './rbac-validation.ts'

type Binding = RoleBinding | ClusterRoleBinding

/** Role names may contain colons: `system:node`. */
function define(draft: ResourceDraft): ResourceDefinition {
  return defineResource({ nameKind: 'path-segment', ...draft, schema: schemaOf(draft) })
}

const group = 'rbac.authorization.k8s.io'

function bindingStrategy(namespaced: boolean): Strategy {
  return {
    prepareForCreate: (object) => withGroups(object as Binding),
    prepareForUpdate: (object) => withGroups(object as Binding),
    validate: (object, old) => [
      ...validateBinding(object as Binding, namespaced),
      ...(old === undefined ? [] : immutableRole((object as Binding).roleRef, (old as Binding).roleRef)),
    ],
  }
}

function immutableRole(role: Binding['roleRef'], old: Binding['roleRef']): readonly FieldError[] {
  if (deepEqual(role, old)) return []
  const shown = goStruct('rbac.RoleRef', { APIGroup: role?.apiGroup, Kind: role?.kind, Name: role?.name })
  return [invalidShown('roleRef', shown, 'cannot change roleRef')]
}

function roleStrategy(namespaced: boolean): Strategy {
  return { validate: (object) => validateRules((object as Role | ClusterRole).rules, namespaced) }
}

/** Defaults apiGroup, which old manifests omit. Runs before validation. */
function withGroups(binding: Binding): Binding {
  const { roleRef, subjects } = binding
  return {
    ...binding,
    ...(!isJsonObject(roleRef)
      ? {}
      : { roleRef: { ...roleRef, apiGroup: roleRef.apiGroup === undefined || roleRef.apiGroup === '' ? group : roleRef.apiGroup } }),
    ...(!Array.isArray(subjects)
      ? {}
      : {
          subjects: subjects.map((subject) =>
            !isJsonObject(subject) || subject.kind === 'ServiceAccount' ? subject : { ...subject, apiGroup: subject.apiGroup ?? group },
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
    define({ ...rbac.roles, columns: roleColumns, strategy: roleStrategy(true) }),
    define({ ...rbac.clusterRoles, columns: roleColumns, strategy: roleStrategy(false) }),
    define({ ...rbac.roleBindings, columns: bindingColumns, strategy: bindingStrategy(true) }),
    define({ ...rbac.clusterRoleBindings, columns: bindingColumns, strategy: bindingStrategy(false) }),
  ]
}
