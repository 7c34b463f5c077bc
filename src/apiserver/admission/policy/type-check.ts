import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { schemaType } from '#apimachinery/cel/types/schema-types.ts'
import { type CelType, dyn } from '#apimachinery/cel/types/types.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { objectMetaSchema } from '#apimachinery/structural/object-meta-schema.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { openSchema } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { checkedKinds } from './checked-kinds.ts'
import { compilePolicy } from './policy-expressions.ts'

const text: StructuralSchema = { type: 'string' }
const time: StructuralSchema = { type: 'string', format: 'date-time', nullable: true }
const metadata: StructuralSchema = {
  ...objectMetaSchema,
  properties: { ...objectMetaSchema.properties, creationTimestamp: time, deletionTimestamp: time },
}

/**
 * Checks the validations of a policy against the schema of each kind that it names. The warnings
 * are those of kube-apiserver: one per expression, with a paragraph per kind.
 */
export function typeCheckPolicy(spec: ValidatingAdmissionPolicySpec, served: readonly ResourceDefinition[]): ExpressionWarning[] {
  const params = typeOfParameters(spec, served)
  const checks = checkedKinds(spec, served).flatMap((definition) => {
    const object = typeOfObjects(definition)
    if (object === undefined) return []
    const { validations } = compilePolicy(spec, { object, oldObject: object, ...params }, 'whole')
    return [{ definition, validations }]
  })
  return (spec.validations ?? []).flatMap((_, index) =>
    (['expression', 'message'] as const).flatMap((part) => {
      const faults = checks.flatMap(({ definition, validations }) => {
        const expression = validations[index]?.[part]
        return expression !== undefined && 'fault' in expression ? [`${shown(definition)}: ${expression.fault}\n`] : []
      })
      const field = part === 'message' ? 'messageExpression' : part
      return faults.length === 0 ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning: faults.join('\n') }]
    }),
  )
}

/** `apps/v1, Kind=Deployment`, as Go prints a kind. */
function shown({ group, version, kind }: ResourceDefinition): string {
  return `${group}/${version}, Kind=${kind}`
}

/** Undefined: nothing is known of the objects. */
function typeOfObjects({ schema }: ResourceDefinition): CelType | undefined {
  if (schema === openSchema) return undefined
  return schemaType({ ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } })
}

/** The kind of the parameters may be created later: until then they have any type. */
function typeOfParameters({ paramKind }: ValidatingAdmissionPolicySpec, served: readonly ResourceDefinition[]): { params?: CelType } {
  if (paramKind === undefined) return {}
  const definition = served.find((one) => apiVersionOf(one) === paramKind.apiVersion && one.kind === paramKind.kind)
  return { params: (definition === undefined ? undefined : typeOfObjects(definition)) ?? dyn }
}
