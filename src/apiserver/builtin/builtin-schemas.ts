import { schemas as admissionregistration } from '#api/admissionregistration/v1/schema.generated.ts'
import { schemas as apiextensions } from '#api/apiextensions/v1/schema.generated.ts'
import { schemas as apiregistration } from '#api/apiregistration/v1/schema.generated.ts'
import { schemas as apps } from '#api/apps/v1/schema.generated.ts'
import { schemas as autoscalingV1 } from '#api/autoscaling/v1/schema.generated.ts'
import { schemas as autoscaling } from '#api/autoscaling/v2/schema.generated.ts'
import { schemas as batch } from '#api/batch/v1/schema.generated.ts'
import { schemas as certificates } from '#api/certificates/v1/schema.generated.ts'
import { schemas as coordination } from '#api/coordination/v1/schema.generated.ts'
import { schemas as core } from '#api/core/v1/schema.generated.ts'
import { schemas as discovery } from '#api/discovery/v1/schema.generated.ts'
import { schemas as events } from '#api/events/v1/schema.generated.ts'
import { schemas as flowcontrol } from '#api/flowcontrol/v1/schema.generated.ts'
import { schemas as networking } from '#api/networking/v1/schema.generated.ts'
import { schemas as node } from '#api/node/v1/schema.generated.ts'
import { schemas as policy } from '#api/policy/v1/schema.generated.ts'
import { schemas as rbac } from '#api/rbac/v1/schema.generated.ts'
import { schemas as scheduling } from '#api/scheduling/v1/schema.generated.ts'
import { schemas as storage } from '#api/storage/v1/schema.generated.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { openSchema } from '#apiserver/registry/define-resource.ts'

type KindSchemas = Readonly<Record<string, StructuralSchema>>

/** Generated schemas by apiVersion, then kind. */
const generated: Readonly<Record<string, KindSchemas>> = {
  'admissionregistration.k8s.io/v1': admissionregistration,
  'apiextensions.k8s.io/v1': apiextensions,
  'apiregistration.k8s.io/v1': apiregistration,
  'apps/v1': apps,
  'autoscaling/v1': autoscalingV1,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'certificates.k8s.io/v1': certificates,
  'coordination.k8s.io/v1': coordination,
  v1: core,
  'discovery.k8s.io/v1': discovery,
  'events.k8s.io/v1': events,
  'flowcontrol.apiserver.k8s.io/v1': flowcontrol,
  'networking.k8s.io/v1': networking,
  'node.k8s.io/v1': node,
  'policy/v1': policy,
  'rbac.authorization.k8s.io/v1': rbac,
  'scheduling.k8s.io/v1': scheduling,
  'storage.k8s.io/v1': storage,
}

/** Returns the schema of a built-in kind. A kind without schema accepts any object. */
export function schemaOf(resource: { group: string; version: string; kind: string }): StructuralSchema {
  return generated[apiVersionOf(resource)]?.[resource.kind] ?? openSchema
}
