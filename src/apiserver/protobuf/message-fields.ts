/**
 * Fields of the built-in kinds, as Kubernetes 1.33 numbers them in protobuf. Messages are named
 * `<package>.<kind>`, those of other versions than v1 `<package>/<version>.<kind>`. Each field
 * reads
 * `number:jsonName:type flags`; types are s(tring), i(nteger), b(ool), d(ouble), (b)y(tes), the
 * special forms of `decode.ts`, or a message; flags: `*` list, `#` map from strings, `?` optional
 * (zero means something), `!` written to JSON even when empty, `~` merged into its parent.
 */
export const messageFields: Readonly<Record<string, string>> = {
  'admissionregistration.AuditAnnotation': '1:key:s! 2:valueExpression:s!',
  'admissionregistration.ExpressionWarning': '2:fieldRef:s! 3:warning:s!',
  'admissionregistration.MatchCondition': '1:name:s! 2:expression:s!',
  'admissionregistration.MatchResources':
    '1:namespaceSelector:meta.LabelSelector? 2:objectSelector:meta.LabelSelector? 3:resourceRules:admissionregistration.NamedRuleWithOperations* 4:excludeResourceRules:admissionregistration.NamedRuleWithOperations* 7:matchPolicy:s?',
  'admissionregistration.MutatingWebhook':
    '1:name:s! 2:clientConfig:admissionregistration.WebhookClientConfig! 3:rules:admissionregistration.RuleWithOperations* 4:failurePolicy:s? 9:matchPolicy:s? 5:namespaceSelector:meta.LabelSelector? 11:objectSelector:meta.LabelSelector? 6:sideEffects:s?! 7:timeoutSeconds:i? 8:admissionReviewVersions:s*! 10:reinvocationPolicy:s? 12:matchConditions:admissionregistration.MatchCondition*',
  'admissionregistration.MutatingWebhookConfiguration': '1:metadata:meta.ObjectMeta 2:webhooks:admissionregistration.MutatingWebhook*',
  'admissionregistration.NamedRuleWithOperations': '1:resourceNames:s* 2::admissionregistration.RuleWithOperations~',
  'admissionregistration.ParamKind': '1:apiVersion:s 2:kind:s',
  'admissionregistration.ParamRef': '1:name:s 2:namespace:s 3:selector:meta.LabelSelector? 4:parameterNotFoundAction:s?',
  'admissionregistration.Rule': '1:apiGroups:s* 2:apiVersions:s* 3:resources:s* 4:scope:s?',
  'admissionregistration.RuleWithOperations': '1:operations:s* 2::admissionregistration.Rule~',
  'admissionregistration.ServiceReference': '1:namespace:s! 2:name:s! 3:path:s? 4:port:i?',
  'admissionregistration.TypeChecking': '1:expressionWarnings:admissionregistration.ExpressionWarning*',
  'admissionregistration.ValidatingAdmissionPolicy':
    '1:metadata:meta.ObjectMeta 2:spec:admissionregistration.ValidatingAdmissionPolicySpec 3:status:admissionregistration.ValidatingAdmissionPolicyStatus',
  'admissionregistration.ValidatingAdmissionPolicyBinding':
    '1:metadata:meta.ObjectMeta 2:spec:admissionregistration.ValidatingAdmissionPolicyBindingSpec',
  'admissionregistration.ValidatingAdmissionPolicyBindingSpec':
    '1:policyName:s 2:paramRef:admissionregistration.ParamRef? 3:matchResources:admissionregistration.MatchResources? 4:validationActions:s*',
  'admissionregistration.ValidatingAdmissionPolicySpec':
    '1:paramKind:admissionregistration.ParamKind? 2:matchConstraints:admissionregistration.MatchResources? 3:validations:admissionregistration.Validation* 4:failurePolicy:s? 5:auditAnnotations:admissionregistration.AuditAnnotation* 6:matchConditions:admissionregistration.MatchCondition* 7:variables:admissionregistration.Variable*',
  'admissionregistration.ValidatingAdmissionPolicyStatus':
    '1:observedGeneration:i 2:typeChecking:admissionregistration.TypeChecking? 3:conditions:meta.Condition*',
  'admissionregistration.ValidatingWebhook':
    '1:name:s! 2:clientConfig:admissionregistration.WebhookClientConfig! 3:rules:admissionregistration.RuleWithOperations* 4:failurePolicy:s? 9:matchPolicy:s? 5:namespaceSelector:meta.LabelSelector? 10:objectSelector:meta.LabelSelector? 6:sideEffects:s?! 7:timeoutSeconds:i? 8:admissionReviewVersions:s*! 11:matchConditions:admissionregistration.MatchCondition*',
  'admissionregistration.ValidatingWebhookConfiguration': '1:metadata:meta.ObjectMeta 2:webhooks:admissionregistration.ValidatingWebhook*',
  'admissionregistration.Validation': '1:expression:s! 2:message:s 3:reason:s? 4:messageExpression:s',
  'admissionregistration.Variable': '1:name:s! 2:expression:s!',
  'admissionregistration.WebhookClientConfig': '3:url:s? 1:service:admissionregistration.ServiceReference? 2:caBundle:y',
  'apiextensions.CustomResourceColumnDefinition': '1:name:s! 2:type:s! 3:format:s 4:description:s 5:priority:i 6:jsonPath:s!',
  'apiextensions.CustomResourceConversion': '1:strategy:s! 2:webhook:apiextensions.WebhookConversion?',
  'apiextensions.CustomResourceDefinition':
    '1:metadata:meta.ObjectMeta 2:spec:apiextensions.CustomResourceDefinitionSpec! 3:status:apiextensions.CustomResourceDefinitionStatus',
  'apiextensions.CustomResourceDefinitionCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'apiextensions.CustomResourceDefinitionNames': '1:plural:s! 2:singular:s 3:shortNames:s* 4:kind:s! 5:listKind:s 6:categories:s*',
  'apiextensions.CustomResourceDefinitionSpec':
    '1:group:s! 3:names:apiextensions.CustomResourceDefinitionNames! 4:scope:s! 7:versions:apiextensions.CustomResourceDefinitionVersion*! 9:conversion:apiextensions.CustomResourceConversion? 10:preserveUnknownFields:b',
  'apiextensions.CustomResourceDefinitionStatus':
    '1:conditions:apiextensions.CustomResourceDefinitionCondition*! 2:acceptedNames:apiextensions.CustomResourceDefinitionNames! 3:storedVersions:s*!',
  'apiextensions.CustomResourceDefinitionVersion':
    '1:name:s! 2:served:b! 3:storage:b! 7:deprecated:b 8:deprecationWarning:s? 4:schema:apiextensions.CustomResourceValidation? 5:subresources:apiextensions.CustomResourceSubresources? 6:additionalPrinterColumns:apiextensions.CustomResourceColumnDefinition* 9:selectableFields:apiextensions.SelectableField*',
  'apiextensions.CustomResourceSubresourceScale': '1:specReplicasPath:s! 2:statusReplicasPath:s! 3:labelSelectorPath:s?',
  'apiextensions.CustomResourceSubresourceStatus': '',
  'apiextensions.CustomResourceSubresources':
    '1:status:apiextensions.CustomResourceSubresourceStatus? 2:scale:apiextensions.CustomResourceSubresourceScale?',
  'apiextensions.CustomResourceValidation': '1:openAPIV3Schema:apiextensions.JSONSchemaProps?',
  'apiextensions.ExternalDocumentation': '1:description:s 2:url:s',
  'apiextensions.JSONSchemaProps':
    '1:id:s 2:$schema:s 3:$ref:s? 4:description:s 5:type:s 6:format:s 7:title:s 8:default:json? 9:maximum:d? 10:exclusiveMaximum:b 11:minimum:d? 12:exclusiveMinimum:b 13:maxLength:i? 14:minLength:i? 15:pattern:s 16:maxItems:i? 17:minItems:i? 18:uniqueItems:b 19:multipleOf:d? 20:enum:json* 21:maxProperties:i? 22:minProperties:i? 23:required:s* 24:items:schemaorlist? 25:allOf:apiextensions.JSONSchemaProps* 26:oneOf:apiextensions.JSONSchemaProps* 27:anyOf:apiextensions.JSONSchemaProps* 28:not:apiextensions.JSONSchemaProps? 29:properties:apiextensions.JSONSchemaProps# 30:additionalProperties:schemaorbool? 31:patternProperties:apiextensions.JSONSchemaProps# 32:dependencies:schemaorstrings# 33:additionalItems:schemaorbool? 34:definitions:apiextensions.JSONSchemaProps# 35:externalDocs:apiextensions.ExternalDocumentation? 36:example:json? 37:nullable:b 38:x-kubernetes-preserve-unknown-fields:b? 39:x-kubernetes-embedded-resource:b 40:x-kubernetes-int-or-string:b 41:x-kubernetes-list-map-keys:s* 42:x-kubernetes-list-type:s? 43:x-kubernetes-map-type:s? 44:x-kubernetes-validations:apiextensions.ValidationRule*',
  'apiextensions.SelectableField': '1:jsonPath:s!',
  'apiextensions.ServiceReference': '1:namespace:s! 2:name:s! 3:path:s? 4:port:i?',
  'apiextensions.ValidationRule': '1:rule:s! 2:message:s 3:messageExpression:s 4:reason:s? 5:fieldPath:s 6:optionalOldSelf:b?',
  'apiextensions.WebhookClientConfig': '3:url:s? 1:service:apiextensions.ServiceReference? 2:caBundle:y',
  'apiextensions.WebhookConversion': '2:clientConfig:apiextensions.WebhookClientConfig? 3:conversionReviewVersions:s*!',
  'apiregistration.APIService':
    '1:metadata:meta.ObjectMeta 2:spec:apiregistration.APIServiceSpec 3:status:apiregistration.APIServiceStatus',
  'apiregistration.APIServiceCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'apiregistration.APIServiceSpec':
    '1:service:apiregistration.ServiceReference? 2:group:s 3:version:s 4:insecureSkipTLSVerify:b 5:caBundle:y 7:groupPriorityMinimum:i! 8:versionPriority:i!',
  'apiregistration.APIServiceStatus': '1:conditions:apiregistration.APIServiceCondition*',
  'apiregistration.ServiceReference': '1:namespace:s 2:name:s 3:port:i?',
  'apps.ControllerRevision': '1:metadata:meta.ObjectMeta 2:data:json 3:revision:i!',
  'apps.DaemonSet': '1:metadata:meta.ObjectMeta 2:spec:apps.DaemonSetSpec 3:status:apps.DaemonSetStatus',
  'apps.DaemonSetCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'apps.DaemonSetSpec':
    '1:selector:meta.LabelSelector?! 2:template:core.PodTemplateSpec! 3:updateStrategy:apps.DaemonSetUpdateStrategy 4:minReadySeconds:i 6:revisionHistoryLimit:i?',
  'apps.DaemonSetStatus':
    '1:currentNumberScheduled:i! 2:numberMisscheduled:i! 3:desiredNumberScheduled:i! 4:numberReady:i! 5:observedGeneration:i 6:updatedNumberScheduled:i 7:numberAvailable:i 8:numberUnavailable:i 9:collisionCount:i? 10:conditions:apps.DaemonSetCondition*',
  'apps.DaemonSetUpdateStrategy': '1:type:s 2:rollingUpdate:apps.RollingUpdateDaemonSet?',
  'apps.Deployment': '1:metadata:meta.ObjectMeta 2:spec:apps.DeploymentSpec 3:status:apps.DeploymentStatus',
  'apps.DeploymentCondition': '1:type:s! 2:status:s! 6:lastUpdateTime:time 7:lastTransitionTime:time 4:reason:s 5:message:s',
  'apps.DeploymentSpec':
    '1:replicas:i? 2:selector:meta.LabelSelector?! 3:template:core.PodTemplateSpec! 4:strategy:apps.DeploymentStrategy 5:minReadySeconds:i 6:revisionHistoryLimit:i? 7:paused:b 9:progressDeadlineSeconds:i?',
  'apps.DeploymentStatus':
    '1:observedGeneration:i 2:replicas:i 3:updatedReplicas:i 7:readyReplicas:i 4:availableReplicas:i 5:unavailableReplicas:i 9:terminatingReplicas:i? 6:conditions:apps.DeploymentCondition* 8:collisionCount:i?',
  'apps.DeploymentStrategy': '1:type:s 2:rollingUpdate:apps.RollingUpdateDeployment?',
  'apps.ReplicaSet': '1:metadata:meta.ObjectMeta 2:spec:apps.ReplicaSetSpec 3:status:apps.ReplicaSetStatus',
  'apps.ReplicaSetCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'apps.ReplicaSetSpec': '1:replicas:i? 4:minReadySeconds:i 2:selector:meta.LabelSelector?! 3:template:core.PodTemplateSpec',
  'apps.ReplicaSetStatus':
    '1:replicas:i! 2:fullyLabeledReplicas:i 4:readyReplicas:i 5:availableReplicas:i 7:terminatingReplicas:i? 3:observedGeneration:i 6:conditions:apps.ReplicaSetCondition*',
  'apps.RollingUpdateDaemonSet': '1:maxUnavailable:intstr? 2:maxSurge:intstr?',
  'apps.RollingUpdateDeployment': '1:maxUnavailable:intstr? 2:maxSurge:intstr?',
  'apps.RollingUpdateStatefulSetStrategy': '1:partition:i? 2:maxUnavailable:intstr?',
  'apps.StatefulSet': '1:metadata:meta.ObjectMeta 2:spec:apps.StatefulSetSpec 3:status:apps.StatefulSetStatus',
  'apps.StatefulSetCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'apps.StatefulSetOrdinals': '1:start:i!',
  'apps.StatefulSetPersistentVolumeClaimRetentionPolicy': '1:whenDeleted:s 2:whenScaled:s',
  'apps.StatefulSetSpec':
    '1:replicas:i? 2:selector:meta.LabelSelector?! 3:template:core.PodTemplateSpec! 4:volumeClaimTemplates:core.PersistentVolumeClaim* 5:serviceName:s! 6:podManagementPolicy:s 7:updateStrategy:apps.StatefulSetUpdateStrategy 8:revisionHistoryLimit:i? 9:minReadySeconds:i 10:persistentVolumeClaimRetentionPolicy:apps.StatefulSetPersistentVolumeClaimRetentionPolicy? 11:ordinals:apps.StatefulSetOrdinals?',
  'apps.StatefulSetStatus':
    '1:observedGeneration:i 2:replicas:i! 3:readyReplicas:i 4:currentReplicas:i 5:updatedReplicas:i 6:currentRevision:s 7:updateRevision:s 9:collisionCount:i? 10:conditions:apps.StatefulSetCondition* 11:availableReplicas:i!',
  'apps.StatefulSetUpdateStrategy': '1:type:s 2:rollingUpdate:apps.RollingUpdateStatefulSetStrategy?',
  'authentication.BoundObjectReference': '1:kind:s 2:apiVersion:s 3:name:s 4:uid:s',
  'authentication.SelfSubjectReview': '1:metadata:meta.ObjectMeta 2:status:authentication.SelfSubjectReviewStatus',
  'authentication.SelfSubjectReviewStatus': '1:userInfo:authentication.UserInfo',
  'authentication.TokenRequest':
    '1:metadata:meta.ObjectMeta 2:spec:authentication.TokenRequestSpec! 3:status:authentication.TokenRequestStatus',
  'authentication.TokenRequestSpec': '1:audiences:s*! 4:expirationSeconds:i?! 3:boundObjectRef:authentication.BoundObjectReference?!',
  'authentication.TokenRequestStatus': '1:token:s! 2:expirationTimestamp:time!',
  'authentication.TokenReview':
    '1:metadata:meta.ObjectMeta 2:spec:authentication.TokenReviewSpec! 3:status:authentication.TokenReviewStatus',
  'authentication.TokenReviewSpec': '1:token:s 2:audiences:s*',
  'authentication.TokenReviewStatus': '1:authenticated:b 2:user:authentication.UserInfo 4:audiences:s* 3:error:s',
  'authentication.UserInfo': '1:username:s 2:uid:s 3:groups:s* 4:extra:strings#',
  'authorization.FieldSelectorAttributes': '1:rawSelector:s 2:requirements:meta.FieldSelectorRequirement*',
  'authorization.LabelSelectorAttributes': '1:rawSelector:s 2:requirements:meta.LabelSelectorRequirement*',
  'authorization.LocalSubjectAccessReview':
    '1:metadata:meta.ObjectMeta 2:spec:authorization.SubjectAccessReviewSpec! 3:status:authorization.SubjectAccessReviewStatus',
  'authorization.NonResourceAttributes': '1:path:s 2:verb:s',
  'authorization.NonResourceRule': '1:verbs:s*! 2:nonResourceURLs:s*',
  'authorization.ResourceAttributes':
    '1:namespace:s 2:verb:s 3:group:s 4:version:s 5:resource:s 6:subresource:s 7:name:s 8:fieldSelector:authorization.FieldSelectorAttributes? 9:labelSelector:authorization.LabelSelectorAttributes?',
  'authorization.ResourceRule': '1:verbs:s*! 2:apiGroups:s* 3:resources:s* 4:resourceNames:s*',
  'authorization.SelfSubjectAccessReview':
    '1:metadata:meta.ObjectMeta 2:spec:authorization.SelfSubjectAccessReviewSpec! 3:status:authorization.SubjectAccessReviewStatus',
  'authorization.SelfSubjectAccessReviewSpec':
    '1:resourceAttributes:authorization.ResourceAttributes? 2:nonResourceAttributes:authorization.NonResourceAttributes?',
  'authorization.SelfSubjectRulesReview':
    '1:metadata:meta.ObjectMeta 2:spec:authorization.SelfSubjectRulesReviewSpec! 3:status:authorization.SubjectRulesReviewStatus',
  'authorization.SelfSubjectRulesReviewSpec': '1:namespace:s',
  'authorization.SubjectAccessReview':
    '1:metadata:meta.ObjectMeta 2:spec:authorization.SubjectAccessReviewSpec! 3:status:authorization.SubjectAccessReviewStatus',
  'authorization.SubjectAccessReviewSpec':
    '1:resourceAttributes:authorization.ResourceAttributes? 2:nonResourceAttributes:authorization.NonResourceAttributes? 3:user:s 4:groups:s* 5:extra:strings# 6:uid:s',
  'authorization.SubjectAccessReviewStatus': '1:allowed:b! 4:denied:b 2:reason:s 3:evaluationError:s',
  'authorization.SubjectRulesReviewStatus':
    '1:resourceRules:authorization.ResourceRule*! 2:nonResourceRules:authorization.NonResourceRule*! 3:incomplete:b! 4:evaluationError:s',
  'autoscaling.CrossVersionObjectReference': '1:kind:s! 2:name:s! 3:apiVersion:s',
  'autoscaling.HorizontalPodAutoscaler':
    '1:metadata:meta.ObjectMeta 2:spec:autoscaling.HorizontalPodAutoscalerSpec 3:status:autoscaling.HorizontalPodAutoscalerStatus',
  'autoscaling.HorizontalPodAutoscalerSpec':
    '1:scaleTargetRef:autoscaling.CrossVersionObjectReference! 2:minReplicas:i? 3:maxReplicas:i! 4:targetCPUUtilizationPercentage:i?',
  'autoscaling.HorizontalPodAutoscalerStatus':
    '1:observedGeneration:i? 2:lastScaleTime:time? 3:currentReplicas:i! 4:desiredReplicas:i! 5:currentCPUUtilizationPercentage:i?',
  'autoscaling.Scale': '1:metadata:meta.ObjectMeta 2:spec:autoscaling.ScaleSpec 3:status:autoscaling.ScaleStatus',
  'autoscaling.ScaleSpec': '1:replicas:i',
  'autoscaling.ScaleStatus': '1:replicas:i! 2:selector:s',
  'autoscaling/v2.ContainerResourceMetricSource': '1:name:s! 2:target:autoscaling/v2.MetricTarget! 3:container:s!',
  'autoscaling/v2.ContainerResourceMetricStatus': '1:name:s! 2:current:autoscaling/v2.MetricValueStatus! 3:container:s!',
  'autoscaling/v2.CrossVersionObjectReference': '1:kind:s! 2:name:s! 3:apiVersion:s',
  'autoscaling/v2.ExternalMetricSource': '1:metric:autoscaling/v2.MetricIdentifier! 2:target:autoscaling/v2.MetricTarget!',
  'autoscaling/v2.ExternalMetricStatus': '1:metric:autoscaling/v2.MetricIdentifier! 2:current:autoscaling/v2.MetricValueStatus!',
  'autoscaling/v2.HPAScalingPolicy': '1:type:s! 2:value:i! 3:periodSeconds:i!',
  'autoscaling/v2.HPAScalingRules':
    '3:stabilizationWindowSeconds:i? 1:selectPolicy:s? 2:policies:autoscaling/v2.HPAScalingPolicy* 4:tolerance:quantity?',
  'autoscaling/v2.HorizontalPodAutoscaler':
    '1:metadata:meta.ObjectMeta 2:spec:autoscaling/v2.HorizontalPodAutoscalerSpec 3:status:autoscaling/v2.HorizontalPodAutoscalerStatus',
  'autoscaling/v2.HorizontalPodAutoscalerBehavior': '1:scaleUp:autoscaling/v2.HPAScalingRules? 2:scaleDown:autoscaling/v2.HPAScalingRules?',
  'autoscaling/v2.HorizontalPodAutoscalerCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'autoscaling/v2.HorizontalPodAutoscalerSpec':
    '1:scaleTargetRef:autoscaling/v2.CrossVersionObjectReference! 2:minReplicas:i? 3:maxReplicas:i! 4:metrics:autoscaling/v2.MetricSpec* 5:behavior:autoscaling/v2.HorizontalPodAutoscalerBehavior?',
  'autoscaling/v2.HorizontalPodAutoscalerStatus':
    '1:observedGeneration:i? 2:lastScaleTime:time? 3:currentReplicas:i 4:desiredReplicas:i! 5:currentMetrics:autoscaling/v2.MetricStatus*! 6:conditions:autoscaling/v2.HorizontalPodAutoscalerCondition*',
  'autoscaling/v2.MetricIdentifier': '1:name:s! 2:selector:meta.LabelSelector?',
  'autoscaling/v2.MetricSpec':
    '1:type:s! 2:object:autoscaling/v2.ObjectMetricSource? 3:pods:autoscaling/v2.PodsMetricSource? 4:resource:autoscaling/v2.ResourceMetricSource? 7:containerResource:autoscaling/v2.ContainerResourceMetricSource? 5:external:autoscaling/v2.ExternalMetricSource?',
  'autoscaling/v2.MetricStatus':
    '1:type:s! 2:object:autoscaling/v2.ObjectMetricStatus? 3:pods:autoscaling/v2.PodsMetricStatus? 4:resource:autoscaling/v2.ResourceMetricStatus? 7:containerResource:autoscaling/v2.ContainerResourceMetricStatus? 5:external:autoscaling/v2.ExternalMetricStatus?',
  'autoscaling/v2.MetricTarget': '1:type:s! 2:value:quantity? 3:averageValue:quantity? 4:averageUtilization:i?',
  'autoscaling/v2.MetricValueStatus': '1:value:quantity? 2:averageValue:quantity? 3:averageUtilization:i?',
  'autoscaling/v2.ObjectMetricSource':
    '1:describedObject:autoscaling/v2.CrossVersionObjectReference! 2:target:autoscaling/v2.MetricTarget! 3:metric:autoscaling/v2.MetricIdentifier!',
  'autoscaling/v2.ObjectMetricStatus':
    '1:metric:autoscaling/v2.MetricIdentifier! 2:current:autoscaling/v2.MetricValueStatus! 3:describedObject:autoscaling/v2.CrossVersionObjectReference!',
  'autoscaling/v2.PodsMetricSource': '1:metric:autoscaling/v2.MetricIdentifier! 2:target:autoscaling/v2.MetricTarget!',
  'autoscaling/v2.PodsMetricStatus': '1:metric:autoscaling/v2.MetricIdentifier! 2:current:autoscaling/v2.MetricValueStatus!',
  'autoscaling/v2.ResourceMetricSource': '1:name:s! 2:target:autoscaling/v2.MetricTarget!',
  'autoscaling/v2.ResourceMetricStatus': '1:name:s! 2:current:autoscaling/v2.MetricValueStatus!',
  'batch.CronJob': '1:metadata:meta.ObjectMeta 2:spec:batch.CronJobSpec 3:status:batch.CronJobStatus',
  'batch.CronJobSpec':
    '1:schedule:s! 8:timeZone:s? 2:startingDeadlineSeconds:i? 3:concurrencyPolicy:s 4:suspend:b? 5:jobTemplate:batch.JobTemplateSpec! 6:successfulJobsHistoryLimit:i? 7:failedJobsHistoryLimit:i?',
  'batch.CronJobStatus': '1:active:core.ObjectReference* 4:lastScheduleTime:time? 5:lastSuccessfulTime:time?',
  'batch.Job': '1:metadata:meta.ObjectMeta 2:spec:batch.JobSpec 3:status:batch.JobStatus',
  'batch.JobCondition': '1:type:s! 2:status:s! 3:lastProbeTime:time 4:lastTransitionTime:time 5:reason:s 6:message:s',
  'batch.JobSpec':
    '1:parallelism:i? 2:completions:i? 3:activeDeadlineSeconds:i? 11:podFailurePolicy:batch.PodFailurePolicy? 16:successPolicy:batch.SuccessPolicy? 7:backoffLimit:i? 12:backoffLimitPerIndex:i? 13:maxFailedIndexes:i? 4:selector:meta.LabelSelector? 5:manualSelector:b? 6:template:core.PodTemplateSpec! 8:ttlSecondsAfterFinished:i? 9:completionMode:s? 10:suspend:b? 14:podReplacementPolicy:s? 15:managedBy:s?',
  'batch.JobStatus':
    '1:conditions:batch.JobCondition* 2:startTime:time? 3:completionTime:time? 4:active:i 5:succeeded:i 6:failed:i 11:terminating:i? 7:completedIndexes:s 10:failedIndexes:s? 8:uncountedTerminatedPods:batch.UncountedTerminatedPods? 9:ready:i?',
  'batch.JobTemplateSpec': '1:metadata:meta.ObjectMeta 2:spec:batch.JobSpec',
  'batch.PodFailurePolicy': '1:rules:batch.PodFailurePolicyRule*!',
  'batch.PodFailurePolicyOnExitCodesRequirement': '1:containerName:s? 2:operator:s! 3:values:i*!',
  'batch.PodFailurePolicyOnPodConditionsPattern': '1:type:s! 2:status:s!',
  'batch.PodFailurePolicyRule':
    '1:action:s! 2:onExitCodes:batch.PodFailurePolicyOnExitCodesRequirement? 3:onPodConditions:batch.PodFailurePolicyOnPodConditionsPattern*',
  'batch.SuccessPolicy': '1:rules:batch.SuccessPolicyRule*!',
  'batch.SuccessPolicyRule': '1:succeededIndexes:s? 2:succeededCount:i?',
  'batch.UncountedTerminatedPods': '1:succeeded:s* 2:failed:s*',
  'certificates.CertificateSigningRequest':
    '1:metadata:meta.ObjectMeta 2:spec:certificates.CertificateSigningRequestSpec! 3:status:certificates.CertificateSigningRequestStatus',
  'certificates.CertificateSigningRequestCondition':
    '1:type:s! 6:status:s! 2:reason:s 3:message:s 4:lastUpdateTime:time 5:lastTransitionTime:time',
  'certificates.CertificateSigningRequestSpec':
    '1:request:y! 7:signerName:s! 8:expirationSeconds:i? 5:usages:s* 2:username:s 3:uid:s 4:groups:s* 6:extra:strings#',
  'certificates.CertificateSigningRequestStatus': '1:conditions:certificates.CertificateSigningRequestCondition* 2:certificate:y',
  'coordination.Lease': '1:metadata:meta.ObjectMeta 2:spec:coordination.LeaseSpec',
  'coordination.LeaseSpec':
    '1:holderIdentity:s? 2:leaseDurationSeconds:i? 3:acquireTime:microtime? 4:renewTime:microtime? 5:leaseTransitions:i? 6:strategy:s? 7:preferredHolder:s?',
  'core.AWSElasticBlockStoreVolumeSource': '1:volumeID:s! 2:fsType:s 3:partition:i 4:readOnly:b',
  'core.Affinity': '1:nodeAffinity:core.NodeAffinity? 2:podAffinity:core.PodAffinity? 3:podAntiAffinity:core.PodAntiAffinity?',
  'core.AppArmorProfile': '1:type:s! 2:localhostProfile:s?',
  'core.AttachedVolume': '1:name:s! 2:devicePath:s!',
  'core.AzureDiskVolumeSource': '1:diskName:s! 2:diskURI:s! 3:cachingMode:s? 4:fsType:s? 5:readOnly:b? 6:kind:s?',
  'core.AzureFilePersistentVolumeSource': '1:secretName:s! 2:shareName:s! 3:readOnly:b 4:secretNamespace:s?!',
  'core.AzureFileVolumeSource': '1:secretName:s! 2:shareName:s! 3:readOnly:b',
  'core.Binding': '1:metadata:meta.ObjectMeta 2:target:core.ObjectReference!',
  'core.CSIPersistentVolumeSource':
    '1:driver:s! 2:volumeHandle:s! 3:readOnly:b 4:fsType:s 5:volumeAttributes:s# 6:controllerPublishSecretRef:core.SecretReference? 7:nodeStageSecretRef:core.SecretReference? 8:nodePublishSecretRef:core.SecretReference? 9:controllerExpandSecretRef:core.SecretReference? 10:nodeExpandSecretRef:core.SecretReference?',
  'core.CSIVolumeSource': '1:driver:s! 2:readOnly:b? 3:fsType:s? 4:volumeAttributes:s# 5:nodePublishSecretRef:core.LocalObjectReference?',
  'core.Capabilities': '1:add:s* 2:drop:s*',
  'core.CephFSPersistentVolumeSource': '1:monitors:s*! 2:path:s 3:user:s 4:secretFile:s 5:secretRef:core.SecretReference? 6:readOnly:b',
  'core.CephFSVolumeSource': '1:monitors:s*! 2:path:s 3:user:s 4:secretFile:s 5:secretRef:core.LocalObjectReference? 6:readOnly:b',
  'core.CinderPersistentVolumeSource': '1:volumeID:s! 2:fsType:s 3:readOnly:b 4:secretRef:core.SecretReference?',
  'core.CinderVolumeSource': '1:volumeID:s! 2:fsType:s 3:readOnly:b 4:secretRef:core.LocalObjectReference?',
  'core.ClientIPConfig': '1:timeoutSeconds:i?',
  'core.ClusterTrustBundleProjection': '1:name:s? 2:signerName:s? 3:labelSelector:meta.LabelSelector? 5:optional:b? 4:path:s!',
  'core.ConfigMap': '1:metadata:meta.ObjectMeta 4:immutable:b? 2:data:s# 3:binaryData:y#',
  'core.ConfigMapEnvSource': '1::core.LocalObjectReference~ 2:optional:b?',
  'core.ConfigMapKeySelector': '1::core.LocalObjectReference~ 2:key:s! 3:optional:b?',
  'core.ConfigMapNodeConfigSource': '1:namespace:s! 2:name:s! 3:uid:s 4:resourceVersion:s 5:kubeletConfigKey:s!',
  'core.ConfigMapProjection': '1::core.LocalObjectReference~ 2:items:core.KeyToPath* 4:optional:b?',
  'core.ConfigMapVolumeSource': '1::core.LocalObjectReference~ 2:items:core.KeyToPath* 3:defaultMode:i? 4:optional:b?',
  'core.Container':
    '1:name:s! 2:image:s 3:command:s* 4:args:s* 5:workingDir:s 6:ports:core.ContainerPort* 19:envFrom:core.EnvFromSource* 7:env:core.EnvVar* 8:resources:core.ResourceRequirements 23:resizePolicy:core.ContainerResizePolicy* 24:restartPolicy:s? 9:volumeMounts:core.VolumeMount* 21:volumeDevices:core.VolumeDevice* 10:livenessProbe:core.Probe? 11:readinessProbe:core.Probe? 22:startupProbe:core.Probe? 12:lifecycle:core.Lifecycle? 13:terminationMessagePath:s 20:terminationMessagePolicy:s 14:imagePullPolicy:s 15:securityContext:core.SecurityContext? 16:stdin:b 17:stdinOnce:b 18:tty:b',
  'core.ContainerImage': '1:names:s*! 2:sizeBytes:i',
  'core.ContainerPort': '1:name:s 2:hostPort:i 3:containerPort:i! 4:protocol:s 5:hostIP:s',
  'core.ContainerResizePolicy': '1:resourceName:s! 2:restartPolicy:s!',
  'core.ContainerState':
    '1:waiting:core.ContainerStateWaiting? 2:running:core.ContainerStateRunning? 3:terminated:core.ContainerStateTerminated?',
  'core.ContainerStateRunning': '1:startedAt:time',
  'core.ContainerStateTerminated': '1:exitCode:i! 2:signal:i 3:reason:s 4:message:s 5:startedAt:time 6:finishedAt:time 7:containerID:s',
  'core.ContainerStateWaiting': '1:reason:s 2:message:s',
  'core.ContainerStatus':
    '1:name:s! 2:state:core.ContainerState 3:lastState:core.ContainerState 4:ready:b! 5:restartCount:i! 6:image:s! 7:imageID:s! 8:containerID:s 9:started:b? 10:allocatedResources:quantity# 11:resources:core.ResourceRequirements? 12:volumeMounts:core.VolumeMountStatus* 13:user:core.ContainerUser? 14:allocatedResourcesStatus:core.ResourceStatus* 15:stopSignal:s?',
  'core.ContainerUser': '1:linux:core.LinuxContainerUser?',
  'core.DaemonEndpoint': '1:Port:i!',
  'core.DownwardAPIProjection': '1:items:core.DownwardAPIVolumeFile*',
  'core.DownwardAPIVolumeFile': '1:path:s! 2:fieldRef:core.ObjectFieldSelector? 3:resourceFieldRef:core.ResourceFieldSelector? 4:mode:i?',
  'core.DownwardAPIVolumeSource': '1:items:core.DownwardAPIVolumeFile* 2:defaultMode:i?',
  'core.EmptyDirVolumeSource': '1:medium:s 2:sizeLimit:quantity?',
  'core.EndpointAddress': '1:ip:s! 3:hostname:s 4:nodeName:s? 2:targetRef:core.ObjectReference?',
  'core.EndpointPort': '1:name:s 2:port:i! 3:protocol:s 4:appProtocol:s?',
  'core.EndpointSubset': '1:addresses:core.EndpointAddress* 2:notReadyAddresses:core.EndpointAddress* 3:ports:core.EndpointPort*',
  'core.Endpoints': '1:metadata:meta.ObjectMeta 2:subsets:core.EndpointSubset*',
  'core.EnvFromSource': '1:prefix:s 2:configMapRef:core.ConfigMapEnvSource? 3:secretRef:core.SecretEnvSource?',
  'core.EnvVar': '1:name:s! 2:value:s 3:valueFrom:core.EnvVarSource?',
  'core.EnvVarSource':
    '1:fieldRef:core.ObjectFieldSelector? 2:resourceFieldRef:core.ResourceFieldSelector? 3:configMapKeyRef:core.ConfigMapKeySelector? 4:secretKeyRef:core.SecretKeySelector?',
  'core.EphemeralContainer': '1::core.EphemeralContainerCommon~ 2:targetContainerName:s',
  'core.EphemeralContainerCommon':
    '1:name:s! 2:image:s 3:command:s* 4:args:s* 5:workingDir:s 6:ports:core.ContainerPort* 19:envFrom:core.EnvFromSource* 7:env:core.EnvVar* 8:resources:core.ResourceRequirements 23:resizePolicy:core.ContainerResizePolicy* 24:restartPolicy:s? 9:volumeMounts:core.VolumeMount* 21:volumeDevices:core.VolumeDevice* 10:livenessProbe:core.Probe? 11:readinessProbe:core.Probe? 22:startupProbe:core.Probe? 12:lifecycle:core.Lifecycle? 13:terminationMessagePath:s 20:terminationMessagePolicy:s 14:imagePullPolicy:s 15:securityContext:core.SecurityContext? 16:stdin:b 17:stdinOnce:b 18:tty:b',
  'core.EphemeralVolumeSource': '1:volumeClaimTemplate:core.PersistentVolumeClaimTemplate?',
  'core.Event':
    '1:metadata:meta.ObjectMeta! 2:involvedObject:core.ObjectReference! 3:reason:s 4:message:s 5:source:core.EventSource 6:firstTimestamp:time 7:lastTimestamp:time 8:count:i 9:type:s 10:eventTime:microtime 11:series:core.EventSeries? 12:action:s 13:related:core.ObjectReference? 14:reportingComponent:s! 15:reportingInstance:s!',
  'core.EventSeries': '1:count:i 2:lastObservedTime:microtime',
  'core.EventSource': '1:component:s 2:host:s',
  'core.ExecAction': '1:command:s*',
  'core.FCVolumeSource': '1:targetWWNs:s* 2:lun:i? 3:fsType:s 4:readOnly:b 5:wwids:s*',
  'core.FlexPersistentVolumeSource': '1:driver:s! 2:fsType:s 3:secretRef:core.SecretReference? 4:readOnly:b 5:options:s#',
  'core.FlexVolumeSource': '1:driver:s! 2:fsType:s 3:secretRef:core.LocalObjectReference? 4:readOnly:b 5:options:s#',
  'core.FlockerVolumeSource': '1:datasetName:s 2:datasetUUID:s',
  'core.GCEPersistentDiskVolumeSource': '1:pdName:s! 2:fsType:s 3:partition:i 4:readOnly:b',
  'core.GRPCAction': '1:port:i! 2:service:s?!',
  'core.GitRepoVolumeSource': '1:repository:s! 2:revision:s 3:directory:s',
  'core.GlusterfsPersistentVolumeSource': '1:endpoints:s! 2:path:s! 3:readOnly:b 4:endpointsNamespace:s?',
  'core.GlusterfsVolumeSource': '1:endpoints:s! 2:path:s! 3:readOnly:b',
  'core.HTTPGetAction': '1:path:s 2:port:intstr! 3:host:s 4:scheme:s 5:httpHeaders:core.HTTPHeader*',
  'core.HTTPHeader': '1:name:s! 2:value:s!',
  'core.HostAlias': '1:ip:s! 2:hostnames:s*',
  'core.HostIP': '1:ip:s!',
  'core.HostPathVolumeSource': '1:path:s! 2:type:s?',
  'core.ISCSIPersistentVolumeSource':
    '1:targetPortal:s! 2:iqn:s! 3:lun:i! 4:iscsiInterface:s 5:fsType:s 6:readOnly:b 7:portals:s* 8:chapAuthDiscovery:b 11:chapAuthSession:b 10:secretRef:core.SecretReference? 12:initiatorName:s?',
  'core.ISCSIVolumeSource':
    '1:targetPortal:s! 2:iqn:s! 3:lun:i! 4:iscsiInterface:s 5:fsType:s 6:readOnly:b 7:portals:s* 8:chapAuthDiscovery:b 11:chapAuthSession:b 10:secretRef:core.LocalObjectReference? 12:initiatorName:s?',
  'core.ImageVolumeSource': '1:reference:s 2:pullPolicy:s',
  'core.KeyToPath': '1:key:s! 2:path:s! 3:mode:i?',
  'core.Lifecycle': '1:postStart:core.LifecycleHandler? 2:preStop:core.LifecycleHandler? 3:stopSignal:s?',
  'core.LifecycleHandler':
    '1:exec:core.ExecAction? 2:httpGet:core.HTTPGetAction? 3:tcpSocket:core.TCPSocketAction? 4:sleep:core.SleepAction?',
  'core.LimitRange': '1:metadata:meta.ObjectMeta 2:spec:core.LimitRangeSpec',
  'core.LimitRangeItem':
    '1:type:s! 2:max:quantity# 3:min:quantity# 4:default:quantity# 5:defaultRequest:quantity# 6:maxLimitRequestRatio:quantity#',
  'core.LimitRangeSpec': '1:limits:core.LimitRangeItem*!',
  'core.LinuxContainerUser': '1:uid:i! 2:gid:i! 3:supplementalGroups:i*',
  'core.LoadBalancerIngress': '1:ip:s 2:hostname:s 3:ipMode:s? 4:ports:core.PortStatus*',
  'core.LoadBalancerStatus': '1:ingress:core.LoadBalancerIngress*',
  'core.LocalObjectReference': '1:name:s',
  'core.LocalVolumeSource': '1:path:s! 2:fsType:s?',
  'core.ModifyVolumeStatus': '1:targetVolumeAttributesClassName:s 2:status:s!',
  'core.NFSVolumeSource': '1:server:s! 2:path:s! 3:readOnly:b',
  'core.Namespace': '1:metadata:meta.ObjectMeta 2:spec:core.NamespaceSpec 3:status:core.NamespaceStatus',
  'core.NamespaceCondition': '1:type:s! 2:status:s! 4:lastTransitionTime:time 5:reason:s 6:message:s',
  'core.NamespaceSpec': '1:finalizers:s*',
  'core.NamespaceStatus': '1:phase:s 2:conditions:core.NamespaceCondition*',
  'core.Node': '1:metadata:meta.ObjectMeta 2:spec:core.NodeSpec 3:status:core.NodeStatus',
  'core.NodeAddress': '1:type:s! 2:address:s!',
  'core.NodeAffinity':
    '1:requiredDuringSchedulingIgnoredDuringExecution:core.NodeSelector? 2:preferredDuringSchedulingIgnoredDuringExecution:core.PreferredSchedulingTerm*',
  'core.NodeCondition': '1:type:s! 2:status:s! 3:lastHeartbeatTime:time 4:lastTransitionTime:time 5:reason:s 6:message:s',
  'core.NodeConfigSource': '2:configMap:core.ConfigMapNodeConfigSource?',
  'core.NodeConfigStatus':
    '1:assigned:core.NodeConfigSource? 2:active:core.NodeConfigSource? 3:lastKnownGood:core.NodeConfigSource? 4:error:s',
  'core.NodeDaemonEndpoints': '1:kubeletEndpoint:core.DaemonEndpoint',
  'core.NodeFeatures': '1:supplementalGroupsPolicy:b?',
  'core.NodeRuntimeHandler': '1:name:s! 2:features:core.NodeRuntimeHandlerFeatures?',
  'core.NodeRuntimeHandlerFeatures': '1:recursiveReadOnlyMounts:b? 2:userNamespaces:b?',
  'core.NodeSelector': '1:nodeSelectorTerms:core.NodeSelectorTerm*!',
  'core.NodeSelectorRequirement': '1:key:s! 2:operator:s! 3:values:s*',
  'core.NodeSelectorTerm': '1:matchExpressions:core.NodeSelectorRequirement* 2:matchFields:core.NodeSelectorRequirement*',
  'core.NodeSpec':
    '1:podCIDR:s 7:podCIDRs:s* 3:providerID:s 4:unschedulable:b 5:taints:core.Taint* 6:configSource:core.NodeConfigSource? 2:externalID:s',
  'core.NodeStatus':
    '1:capacity:quantity# 2:allocatable:quantity# 3:phase:s 4:conditions:core.NodeCondition* 5:addresses:core.NodeAddress* 6:daemonEndpoints:core.NodeDaemonEndpoints 7:nodeInfo:core.NodeSystemInfo 8:images:core.ContainerImage* 9:volumesInUse:s* 10:volumesAttached:core.AttachedVolume* 11:config:core.NodeConfigStatus? 12:runtimeHandlers:core.NodeRuntimeHandler* 13:features:core.NodeFeatures?',
  'core.NodeSwapStatus': '1:capacity:i?',
  'core.NodeSystemInfo':
    '1:machineID:s! 2:systemUUID:s! 3:bootID:s! 4:kernelVersion:s! 5:osImage:s! 6:containerRuntimeVersion:s! 7:kubeletVersion:s! 8:kubeProxyVersion:s! 9:operatingSystem:s! 10:architecture:s! 11:swap:core.NodeSwapStatus?',
  'core.ObjectFieldSelector': '1:apiVersion:s 2:fieldPath:s!',
  'core.ObjectReference': '1:kind:s 2:namespace:s 3:name:s 4:uid:s 5:apiVersion:s 6:resourceVersion:s 7:fieldPath:s',
  'core.PersistentVolume': '1:metadata:meta.ObjectMeta 2:spec:core.PersistentVolumeSpec 3:status:core.PersistentVolumeStatus',
  'core.PersistentVolumeClaim':
    '1:metadata:meta.ObjectMeta 2:spec:core.PersistentVolumeClaimSpec 3:status:core.PersistentVolumeClaimStatus',
  'core.PersistentVolumeClaimCondition': '1:type:s! 2:status:s! 3:lastProbeTime:time 4:lastTransitionTime:time 5:reason:s 6:message:s',
  'core.PersistentVolumeClaimSpec':
    '1:accessModes:s* 4:selector:meta.LabelSelector? 2:resources:core.VolumeResourceRequirements 3:volumeName:s 5:storageClassName:s? 6:volumeMode:s? 7:dataSource:core.TypedLocalObjectReference? 8:dataSourceRef:core.TypedObjectReference? 9:volumeAttributesClassName:s?',
  'core.PersistentVolumeClaimStatus':
    '1:phase:s 2:accessModes:s* 3:capacity:quantity# 4:conditions:core.PersistentVolumeClaimCondition* 5:allocatedResources:quantity# 7:allocatedResourceStatuses:s# 8:currentVolumeAttributesClassName:s? 9:modifyVolumeStatus:core.ModifyVolumeStatus?',
  'core.PersistentVolumeClaimTemplate': '1:metadata:meta.ObjectMeta 2:spec:core.PersistentVolumeClaimSpec!',
  'core.PersistentVolumeClaimVolumeSource': '1:claimName:s! 2:readOnly:b',
  'core.PersistentVolumeSource':
    '1:gcePersistentDisk:core.GCEPersistentDiskVolumeSource? 2:awsElasticBlockStore:core.AWSElasticBlockStoreVolumeSource? 3:hostPath:core.HostPathVolumeSource? 4:glusterfs:core.GlusterfsPersistentVolumeSource? 5:nfs:core.NFSVolumeSource? 6:rbd:core.RBDPersistentVolumeSource? 7:iscsi:core.ISCSIPersistentVolumeSource? 8:cinder:core.CinderPersistentVolumeSource? 9:cephfs:core.CephFSPersistentVolumeSource? 10:fc:core.FCVolumeSource? 11:flocker:core.FlockerVolumeSource? 12:flexVolume:core.FlexPersistentVolumeSource? 13:azureFile:core.AzureFilePersistentVolumeSource? 14:vsphereVolume:core.VsphereVirtualDiskVolumeSource? 15:quobyte:core.QuobyteVolumeSource? 16:azureDisk:core.AzureDiskVolumeSource? 17:photonPersistentDisk:core.PhotonPersistentDiskVolumeSource? 18:portworxVolume:core.PortworxVolumeSource? 19:scaleIO:core.ScaleIOPersistentVolumeSource? 20:local:core.LocalVolumeSource? 21:storageos:core.StorageOSPersistentVolumeSource? 22:csi:core.CSIPersistentVolumeSource?',
  'core.PersistentVolumeSpec':
    '1:capacity:quantity# 2::core.PersistentVolumeSource~ 3:accessModes:s* 4:claimRef:core.ObjectReference? 5:persistentVolumeReclaimPolicy:s 6:storageClassName:s 7:mountOptions:s* 8:volumeMode:s? 9:nodeAffinity:core.VolumeNodeAffinity? 10:volumeAttributesClassName:s?',
  'core.PersistentVolumeStatus': '1:phase:s 2:message:s 3:reason:s 4:lastPhaseTransitionTime:time?',
  'core.PhotonPersistentDiskVolumeSource': '1:pdID:s! 2:fsType:s',
  'core.Pod': '1:metadata:meta.ObjectMeta 2:spec:core.PodSpec 3:status:core.PodStatus',
  'core.PodAffinity':
    '1:requiredDuringSchedulingIgnoredDuringExecution:core.PodAffinityTerm* 2:preferredDuringSchedulingIgnoredDuringExecution:core.WeightedPodAffinityTerm*',
  'core.PodAffinityTerm':
    '1:labelSelector:meta.LabelSelector? 2:namespaces:s* 3:topologyKey:s! 4:namespaceSelector:meta.LabelSelector? 5:matchLabelKeys:s* 6:mismatchLabelKeys:s*',
  'core.PodAntiAffinity':
    '1:requiredDuringSchedulingIgnoredDuringExecution:core.PodAffinityTerm* 2:preferredDuringSchedulingIgnoredDuringExecution:core.WeightedPodAffinityTerm*',
  'core.PodCondition': '1:type:s! 7:observedGeneration:i 2:status:s! 3:lastProbeTime:time 4:lastTransitionTime:time 5:reason:s 6:message:s',
  'core.PodDNSConfig': '1:nameservers:s* 2:searches:s* 3:options:core.PodDNSConfigOption*',
  'core.PodDNSConfigOption': '1:name:s 2:value:s?',
  'core.PodIP': '1:ip:s!',
  'core.PodOS': '1:name:s!',
  'core.PodReadinessGate': '1:conditionType:s!',
  'core.PodResourceClaim': '1:name:s! 3:resourceClaimName:s? 4:resourceClaimTemplateName:s?',
  'core.PodResourceClaimStatus': '1:name:s! 2:resourceClaimName:s?',
  'core.PodSchedulingGate': '1:name:s!',
  'core.PodSecurityContext':
    '1:seLinuxOptions:core.SELinuxOptions? 8:windowsOptions:core.WindowsSecurityContextOptions? 2:runAsUser:i? 6:runAsGroup:i? 3:runAsNonRoot:b? 4:supplementalGroups:i* 12:supplementalGroupsPolicy:s? 5:fsGroup:i? 7:sysctls:core.Sysctl* 9:fsGroupChangePolicy:s? 10:seccompProfile:core.SeccompProfile? 11:appArmorProfile:core.AppArmorProfile? 13:seLinuxChangePolicy:s?',
  'core.PodSpec':
    '1:volumes:core.Volume* 20:initContainers:core.Container* 2:containers:core.Container*! 34:ephemeralContainers:core.EphemeralContainer* 3:restartPolicy:s 4:terminationGracePeriodSeconds:i? 5:activeDeadlineSeconds:i? 6:dnsPolicy:s 7:nodeSelector:s# 8:serviceAccountName:s 9:serviceAccount:s 21:automountServiceAccountToken:b? 10:nodeName:s 11:hostNetwork:b 12:hostPID:b 13:hostIPC:b 27:shareProcessNamespace:b? 14:securityContext:core.PodSecurityContext? 15:imagePullSecrets:core.LocalObjectReference* 16:hostname:s 17:subdomain:s 18:affinity:core.Affinity? 19:schedulerName:s 22:tolerations:core.Toleration* 23:hostAliases:core.HostAlias* 24:priorityClassName:s 25:priority:i? 26:dnsConfig:core.PodDNSConfig? 28:readinessGates:core.PodReadinessGate* 29:runtimeClassName:s? 30:enableServiceLinks:b? 31:preemptionPolicy:s? 32:overhead:quantity# 33:topologySpreadConstraints:core.TopologySpreadConstraint* 35:setHostnameAsFQDN:b? 36:os:core.PodOS? 37:hostUsers:b? 38:schedulingGates:core.PodSchedulingGate* 39:resourceClaims:core.PodResourceClaim* 40:resources:core.ResourceRequirements?',
  'core.PodStatus':
    '17:observedGeneration:i 1:phase:s 2:conditions:core.PodCondition* 3:message:s 4:reason:s 11:nominatedNodeName:s 5:hostIP:s 16:hostIPs:core.HostIP* 6:podIP:s 12:podIPs:core.PodIP* 7:startTime:time? 10:initContainerStatuses:core.ContainerStatus* 8:containerStatuses:core.ContainerStatus* 9:qosClass:s 13:ephemeralContainerStatuses:core.ContainerStatus* 14:resize:s 15:resourceClaimStatuses:core.PodResourceClaimStatus*',
  'core.PodTemplate': '1:metadata:meta.ObjectMeta 2:template:core.PodTemplateSpec',
  'core.PodTemplateSpec': '1:metadata:meta.ObjectMeta 2:spec:core.PodSpec',
  'core.PortStatus': '1:port:i! 2:protocol:s! 3:error:s?',
  'core.PortworxVolumeSource': '1:volumeID:s! 2:fsType:s 3:readOnly:b',
  'core.PreferredSchedulingTerm': '1:weight:i! 2:preference:core.NodeSelectorTerm!',
  'core.Probe':
    '1::core.ProbeHandler~ 2:initialDelaySeconds:i 3:timeoutSeconds:i 4:periodSeconds:i 5:successThreshold:i 6:failureThreshold:i 7:terminationGracePeriodSeconds:i?',
  'core.ProbeHandler': '1:exec:core.ExecAction? 2:httpGet:core.HTTPGetAction? 3:tcpSocket:core.TCPSocketAction? 4:grpc:core.GRPCAction?',
  'core.ProjectedVolumeSource': '1:sources:core.VolumeProjection*! 2:defaultMode:i?',
  'core.QuobyteVolumeSource': '1:registry:s! 2:volume:s! 3:readOnly:b 4:user:s 5:group:s 6:tenant:s',
  'core.RBDPersistentVolumeSource':
    '1:monitors:s*! 2:image:s! 3:fsType:s 4:pool:s 5:user:s 6:keyring:s 7:secretRef:core.SecretReference? 8:readOnly:b',
  'core.RBDVolumeSource':
    '1:monitors:s*! 2:image:s! 3:fsType:s 4:pool:s 5:user:s 6:keyring:s 7:secretRef:core.LocalObjectReference? 8:readOnly:b',
  'core.ReplicationController':
    '1:metadata:meta.ObjectMeta 2:spec:core.ReplicationControllerSpec 3:status:core.ReplicationControllerStatus',
  'core.ReplicationControllerCondition': '1:type:s! 2:status:s! 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'core.ReplicationControllerSpec': '1:replicas:i? 4:minReadySeconds:i 2:selector:s# 3:template:core.PodTemplateSpec?',
  'core.ReplicationControllerStatus':
    '1:replicas:i! 2:fullyLabeledReplicas:i 4:readyReplicas:i 5:availableReplicas:i 3:observedGeneration:i 6:conditions:core.ReplicationControllerCondition*',
  'core.ResourceClaim': '1:name:s! 2:request:s',
  'core.ResourceFieldSelector': '1:containerName:s 2:resource:s! 3:divisor:quantity',
  'core.ResourceHealth': '1:resourceID:s! 2:health:s',
  'core.ResourceQuota': '1:metadata:meta.ObjectMeta 2:spec:core.ResourceQuotaSpec 3:status:core.ResourceQuotaStatus',
  'core.ResourceQuotaSpec': '1:hard:quantity# 2:scopes:s* 3:scopeSelector:core.ScopeSelector?',
  'core.ResourceQuotaStatus': '1:hard:quantity# 2:used:quantity#',
  'core.ResourceRequirements': '1:limits:quantity# 2:requests:quantity# 3:claims:core.ResourceClaim*',
  'core.ResourceStatus': '1:name:s! 2:resources:core.ResourceHealth*',
  'core.SELinuxOptions': '1:user:s 2:role:s 3:type:s 4:level:s',
  'core.ScaleIOPersistentVolumeSource':
    '1:gateway:s! 2:system:s! 3:secretRef:core.SecretReference?! 4:sslEnabled:b 5:protectionDomain:s 6:storagePool:s 7:storageMode:s 8:volumeName:s 9:fsType:s 10:readOnly:b',
  'core.ScaleIOVolumeSource':
    '1:gateway:s! 2:system:s! 3:secretRef:core.LocalObjectReference?! 4:sslEnabled:b 5:protectionDomain:s 6:storagePool:s 7:storageMode:s 8:volumeName:s 9:fsType:s 10:readOnly:b',
  'core.ScopeSelector': '1:matchExpressions:core.ScopedResourceSelectorRequirement*',
  'core.ScopedResourceSelectorRequirement': '1:scopeName:s! 2:operator:s! 3:values:s*',
  'core.SeccompProfile': '1:type:s! 2:localhostProfile:s?',
  'core.Secret': '1:metadata:meta.ObjectMeta 5:immutable:b? 2:data:y# 4:stringData:s# 3:type:s',
  'core.SecretEnvSource': '1::core.LocalObjectReference~ 2:optional:b?',
  'core.SecretKeySelector': '1::core.LocalObjectReference~ 2:key:s! 3:optional:b?',
  'core.SecretProjection': '1::core.LocalObjectReference~ 2:items:core.KeyToPath* 4:optional:b?',
  'core.SecretReference': '1:name:s 2:namespace:s',
  'core.SecretVolumeSource': '1:secretName:s 2:items:core.KeyToPath* 3:defaultMode:i? 4:optional:b?',
  'core.SecurityContext':
    '1:capabilities:core.Capabilities? 2:privileged:b? 3:seLinuxOptions:core.SELinuxOptions? 10:windowsOptions:core.WindowsSecurityContextOptions? 4:runAsUser:i? 8:runAsGroup:i? 5:runAsNonRoot:b? 6:readOnlyRootFilesystem:b? 7:allowPrivilegeEscalation:b? 9:procMount:s? 11:seccompProfile:core.SeccompProfile? 12:appArmorProfile:core.AppArmorProfile?',
  'core.Service': '1:metadata:meta.ObjectMeta 2:spec:core.ServiceSpec 3:status:core.ServiceStatus',
  'core.ServiceAccount':
    '1:metadata:meta.ObjectMeta 2:secrets:core.ObjectReference* 3:imagePullSecrets:core.LocalObjectReference* 4:automountServiceAccountToken:b?',
  'core.ServiceAccountTokenProjection': '1:audience:s 2:expirationSeconds:i? 3:path:s!',
  'core.ServicePort': '1:name:s 2:protocol:s 6:appProtocol:s? 3:port:i! 4:targetPort:intstr 5:nodePort:i',
  'core.ServiceSpec':
    '1:ports:core.ServicePort* 2:selector:s# 3:clusterIP:s 18:clusterIPs:s* 4:type:s 5:externalIPs:s* 7:sessionAffinity:s 8:loadBalancerIP:s 9:loadBalancerSourceRanges:s* 10:externalName:s 11:externalTrafficPolicy:s 12:healthCheckNodePort:i 13:publishNotReadyAddresses:b 14:sessionAffinityConfig:core.SessionAffinityConfig? 19:ipFamilies:s* 17:ipFamilyPolicy:s? 20:allocateLoadBalancerNodePorts:b? 21:loadBalancerClass:s? 22:internalTrafficPolicy:s? 23:trafficDistribution:s?',
  'core.ServiceStatus': '1:loadBalancer:core.LoadBalancerStatus 2:conditions:meta.Condition*',
  'core.SessionAffinityConfig': '1:clientIP:core.ClientIPConfig?',
  'core.SleepAction': '1:seconds:i!',
  'core.StorageOSPersistentVolumeSource': '1:volumeName:s 2:volumeNamespace:s 3:fsType:s 4:readOnly:b 5:secretRef:core.ObjectReference?',
  'core.StorageOSVolumeSource': '1:volumeName:s 2:volumeNamespace:s 3:fsType:s 4:readOnly:b 5:secretRef:core.LocalObjectReference?',
  'core.Sysctl': '1:name:s! 2:value:s!',
  'core.TCPSocketAction': '1:port:intstr! 2:host:s',
  'core.Taint': '1:key:s! 2:value:s 3:effect:s! 4:timeAdded:time?',
  'core.Toleration': '1:key:s 2:operator:s 3:value:s 4:effect:s 5:tolerationSeconds:i?',
  'core.TopologySelectorLabelRequirement': '1:key:s! 2:values:s*!',
  'core.TopologySelectorTerm': '1:matchLabelExpressions:core.TopologySelectorLabelRequirement*',
  'core.TopologySpreadConstraint':
    '1:maxSkew:i! 2:topologyKey:s! 3:whenUnsatisfiable:s! 4:labelSelector:meta.LabelSelector? 5:minDomains:i? 6:nodeAffinityPolicy:s? 7:nodeTaintsPolicy:s? 8:matchLabelKeys:s*',
  'core.TypedLocalObjectReference': '1:apiGroup:s?! 2:kind:s! 3:name:s!',
  'core.TypedObjectReference': '1:apiGroup:s?! 2:kind:s! 3:name:s! 4:namespace:s?',
  'core.Volume': '1:name:s! 2::core.VolumeSource~',
  'core.VolumeDevice': '1:name:s! 2:devicePath:s!',
  'core.VolumeMount': '1:name:s! 2:readOnly:b 7:recursiveReadOnly:s? 3:mountPath:s! 4:subPath:s 5:mountPropagation:s? 6:subPathExpr:s',
  'core.VolumeMountStatus': '1:name:s! 2:mountPath:s! 3:readOnly:b 4:recursiveReadOnly:s?',
  'core.VolumeNodeAffinity': '1:required:core.NodeSelector?',
  'core.VolumeProjection':
    '1:secret:core.SecretProjection? 2:downwardAPI:core.DownwardAPIProjection? 3:configMap:core.ConfigMapProjection? 4:serviceAccountToken:core.ServiceAccountTokenProjection? 5:clusterTrustBundle:core.ClusterTrustBundleProjection?',
  'core.VolumeResourceRequirements': '1:limits:quantity# 2:requests:quantity#',
  'core.VolumeSource':
    '1:hostPath:core.HostPathVolumeSource? 2:emptyDir:core.EmptyDirVolumeSource? 3:gcePersistentDisk:core.GCEPersistentDiskVolumeSource? 4:awsElasticBlockStore:core.AWSElasticBlockStoreVolumeSource? 5:gitRepo:core.GitRepoVolumeSource? 6:secret:core.SecretVolumeSource? 7:nfs:core.NFSVolumeSource? 8:iscsi:core.ISCSIVolumeSource? 9:glusterfs:core.GlusterfsVolumeSource? 10:persistentVolumeClaim:core.PersistentVolumeClaimVolumeSource? 11:rbd:core.RBDVolumeSource? 12:flexVolume:core.FlexVolumeSource? 13:cinder:core.CinderVolumeSource? 14:cephfs:core.CephFSVolumeSource? 15:flocker:core.FlockerVolumeSource? 16:downwardAPI:core.DownwardAPIVolumeSource? 17:fc:core.FCVolumeSource? 18:azureFile:core.AzureFileVolumeSource? 19:configMap:core.ConfigMapVolumeSource? 20:vsphereVolume:core.VsphereVirtualDiskVolumeSource? 21:quobyte:core.QuobyteVolumeSource? 22:azureDisk:core.AzureDiskVolumeSource? 23:photonPersistentDisk:core.PhotonPersistentDiskVolumeSource? 26:projected:core.ProjectedVolumeSource? 24:portworxVolume:core.PortworxVolumeSource? 25:scaleIO:core.ScaleIOVolumeSource? 27:storageos:core.StorageOSVolumeSource? 28:csi:core.CSIVolumeSource? 29:ephemeral:core.EphemeralVolumeSource? 30:image:core.ImageVolumeSource?',
  'core.VsphereVirtualDiskVolumeSource': '1:volumePath:s! 2:fsType:s 3:storagePolicyName:s 4:storagePolicyID:s',
  'core.WeightedPodAffinityTerm': '1:weight:i! 2:podAffinityTerm:core.PodAffinityTerm!',
  'core.WindowsSecurityContextOptions': '1:gmsaCredentialSpecName:s? 2:gmsaCredentialSpec:s? 3:runAsUserName:s? 4:hostProcess:b?',
  'discovery.Endpoint':
    '1:addresses:s*! 2:conditions:discovery.EndpointConditions 3:hostname:s? 4:targetRef:core.ObjectReference? 5:deprecatedTopology:s# 6:nodeName:s? 7:zone:s? 8:hints:discovery.EndpointHints?',
  'discovery.EndpointConditions': '1:ready:b? 2:serving:b? 3:terminating:b?',
  'discovery.EndpointHints': '1:forZones:discovery.ForZone* 2:forNodes:discovery.ForNode*',
  'discovery.EndpointPort': '1:name:s? 2:protocol:s? 3:port:i? 4:appProtocol:s?',
  'discovery.EndpointSlice':
    '1:metadata:meta.ObjectMeta 4:addressType:s! 2:endpoints:discovery.Endpoint*! 3:ports:discovery.EndpointPort*!',
  'discovery.ForNode': '1:name:s!',
  'discovery.ForZone': '1:name:s!',
  'events.Event':
    '1:metadata:meta.ObjectMeta! 2:eventTime:microtime! 3:series:events.EventSeries? 4:reportingController:s 5:reportingInstance:s 6:action:s 7:reason:s 8:regarding:core.ObjectReference 9:related:core.ObjectReference? 10:note:s 11:type:s 12:deprecatedSource:core.EventSource 13:deprecatedFirstTimestamp:time 14:deprecatedLastTimestamp:time 15:deprecatedCount:i',
  'events.EventSeries': '1:count:i! 2:lastObservedTime:microtime!',
  'flowcontrol.ExemptPriorityLevelConfiguration': '1:nominalConcurrencyShares:i? 2:lendablePercent:i?',
  'flowcontrol.FlowDistinguisherMethod': '1:type:s!',
  'flowcontrol.FlowSchema': '1:metadata:meta.ObjectMeta 2:spec:flowcontrol.FlowSchemaSpec 3:status:flowcontrol.FlowSchemaStatus',
  'flowcontrol.FlowSchemaCondition': '1:type:s 2:status:s 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'flowcontrol.FlowSchemaSpec':
    '1:priorityLevelConfiguration:flowcontrol.PriorityLevelConfigurationReference! 2:matchingPrecedence:i! 3:distinguisherMethod:flowcontrol.FlowDistinguisherMethod? 4:rules:flowcontrol.PolicyRulesWithSubjects*',
  'flowcontrol.FlowSchemaStatus': '1:conditions:flowcontrol.FlowSchemaCondition*',
  'flowcontrol.GroupSubject': '1:name:s!',
  'flowcontrol.LimitResponse': '1:type:s! 2:queuing:flowcontrol.QueuingConfiguration?',
  'flowcontrol.LimitedPriorityLevelConfiguration':
    '1:nominalConcurrencyShares:i?! 2:limitResponse:flowcontrol.LimitResponse 3:lendablePercent:i? 4:borrowingLimitPercent:i?',
  'flowcontrol.NonResourcePolicyRule': '1:verbs:s*! 6:nonResourceURLs:s*!',
  'flowcontrol.PolicyRulesWithSubjects':
    '1:subjects:flowcontrol.Subject*! 2:resourceRules:flowcontrol.ResourcePolicyRule* 3:nonResourceRules:flowcontrol.NonResourcePolicyRule*',
  'flowcontrol.PriorityLevelConfiguration':
    '1:metadata:meta.ObjectMeta 2:spec:flowcontrol.PriorityLevelConfigurationSpec 3:status:flowcontrol.PriorityLevelConfigurationStatus',
  'flowcontrol.PriorityLevelConfigurationCondition': '1:type:s 2:status:s 3:lastTransitionTime:time 4:reason:s 5:message:s',
  'flowcontrol.PriorityLevelConfigurationReference': '1:name:s!',
  'flowcontrol.PriorityLevelConfigurationSpec':
    '1:type:s! 2:limited:flowcontrol.LimitedPriorityLevelConfiguration? 3:exempt:flowcontrol.ExemptPriorityLevelConfiguration?',
  'flowcontrol.PriorityLevelConfigurationStatus': '1:conditions:flowcontrol.PriorityLevelConfigurationCondition*',
  'flowcontrol.QueuingConfiguration': '1:queues:i! 2:handSize:i! 3:queueLengthLimit:i!',
  'flowcontrol.ResourcePolicyRule': '1:verbs:s*! 2:apiGroups:s*! 3:resources:s*! 4:clusterScope:b 5:namespaces:s*!',
  'flowcontrol.ServiceAccountSubject': '1:namespace:s! 2:name:s!',
  'flowcontrol.Subject':
    '1:kind:s! 2:user:flowcontrol.UserSubject? 3:group:flowcontrol.GroupSubject? 4:serviceAccount:flowcontrol.ServiceAccountSubject?',
  'flowcontrol.UserSubject': '1:name:s!',
  'meta.Condition': '1:type:s! 2:status:s! 3:observedGeneration:i 4:lastTransitionTime:time! 5:reason:s! 6:message:s!',
  'meta.DeleteOptions':
    '1:gracePeriodSeconds:i? 2:preconditions:meta.Preconditions? 3:orphanDependents:b? 4:propagationPolicy:s? 5:dryRun:s* 6:ignoreStoreReadErrorWithClusterBreakingPotential:b?',
  'meta.FieldSelectorRequirement': '1:key:s! 2:operator:s! 3:values:s*',
  'meta.LabelSelector': '1:matchLabels:s# 2:matchExpressions:meta.LabelSelectorRequirement*',
  'meta.LabelSelectorRequirement': '1:key:s! 2:operator:s! 3:values:s*',
  'meta.ListMeta': '1:selfLink:s 2:resourceVersion:s 3:continue:s 4:remainingItemCount:i?',
  'meta.ManagedFieldsEntry': '1:manager:s 2:operation:s 3:apiVersion:s 4:time:time? 6:fieldsType:s 7:fieldsV1:json? 8:subresource:s',
  'meta.ObjectMeta':
    '1:name:s 2:generateName:s 3:namespace:s 4:selfLink:s 5:uid:s 6:resourceVersion:s 7:generation:i 8:creationTimestamp:time 9:deletionTimestamp:time? 10:deletionGracePeriodSeconds:i? 11:labels:s# 12:annotations:s# 13:ownerReferences:meta.OwnerReference* 14:finalizers:s* 17:managedFields:meta.ManagedFieldsEntry*',
  'meta.OwnerReference': '5:apiVersion:s! 1:kind:s! 3:name:s! 4:uid:s! 6:controller:b? 7:blockOwnerDeletion:b?',
  'meta.Preconditions': '1:uid:s? 2:resourceVersion:s?',
  'meta.Status': '1:metadata:meta.ListMeta 2:status:s 3:message:s 4:reason:s 5:details:meta.StatusDetails? 6:code:i',
  'meta.StatusCause': '1:reason:s 2:message:s 3:field:s',
  'meta.StatusDetails': '1:name:s 2:group:s 3:kind:s 6:uid:s 4:causes:meta.StatusCause* 5:retryAfterSeconds:i',
  'networking.HTTPIngressPath': '1:path:s 3:pathType:s?! 2:backend:networking.IngressBackend!',
  'networking.HTTPIngressRuleValue': '1:paths:networking.HTTPIngressPath*!',
  'networking.IPBlock': '1:cidr:s! 2:except:s*',
  'networking.Ingress': '1:metadata:meta.ObjectMeta 2:spec:networking.IngressSpec 3:status:networking.IngressStatus',
  'networking.IngressBackend': '4:service:networking.IngressServiceBackend? 3:resource:core.TypedLocalObjectReference?',
  'networking.IngressClass': '1:metadata:meta.ObjectMeta 2:spec:networking.IngressClassSpec',
  'networking.IngressClassParametersReference': '1:apiGroup:s? 2:kind:s! 3:name:s! 4:scope:s?! 5:namespace:s?',
  'networking.IngressClassSpec': '1:controller:s 2:parameters:networking.IngressClassParametersReference?',
  'networking.IngressLoadBalancerIngress': '1:ip:s 2:hostname:s 4:ports:networking.IngressPortStatus*',
  'networking.IngressLoadBalancerStatus': '1:ingress:networking.IngressLoadBalancerIngress*',
  'networking.IngressPortStatus': '1:port:i! 2:protocol:s! 3:error:s?',
  'networking.IngressRule': '1:host:s 2::networking.IngressRuleValue~',
  'networking.IngressRuleValue': '1:http:networking.HTTPIngressRuleValue?',
  'networking.IngressServiceBackend': '1:name:s! 2:port:networking.ServiceBackendPort',
  'networking.IngressSpec':
    '4:ingressClassName:s? 1:defaultBackend:networking.IngressBackend? 2:tls:networking.IngressTLS* 3:rules:networking.IngressRule*',
  'networking.IngressStatus': '1:loadBalancer:networking.IngressLoadBalancerStatus',
  'networking.IngressTLS': '1:hosts:s* 2:secretName:s',
  'networking.NetworkPolicy': '1:metadata:meta.ObjectMeta 2:spec:networking.NetworkPolicySpec',
  'networking.NetworkPolicyEgressRule': '1:ports:networking.NetworkPolicyPort* 2:to:networking.NetworkPolicyPeer*',
  'networking.NetworkPolicyIngressRule': '1:ports:networking.NetworkPolicyPort* 2:from:networking.NetworkPolicyPeer*',
  'networking.NetworkPolicyPeer': '1:podSelector:meta.LabelSelector? 2:namespaceSelector:meta.LabelSelector? 3:ipBlock:networking.IPBlock?',
  'networking.NetworkPolicyPort': '1:protocol:s? 2:port:intstr? 3:endPort:i?',
  'networking.NetworkPolicySpec':
    '1:podSelector:meta.LabelSelector! 2:ingress:networking.NetworkPolicyIngressRule* 3:egress:networking.NetworkPolicyEgressRule* 4:policyTypes:s*',
  'networking.ServiceBackendPort': '1:name:s 2:number:i',
  'node.Overhead': '1:podFixed:quantity#',
  'node.RuntimeClass': '1:metadata:meta.ObjectMeta 2:handler:s! 3:overhead:node.Overhead? 4:scheduling:node.Scheduling?',
  'node.Scheduling': '1:nodeSelector:s# 2:tolerations:core.Toleration*',
  'policy.Eviction': '1:metadata:meta.ObjectMeta 2:deleteOptions:meta.DeleteOptions?',
  'policy.PodDisruptionBudget':
    '1:metadata:meta.ObjectMeta 2:spec:policy.PodDisruptionBudgetSpec 3:status:policy.PodDisruptionBudgetStatus',
  'policy.PodDisruptionBudgetSpec':
    '1:minAvailable:intstr? 2:selector:meta.LabelSelector? 3:maxUnavailable:intstr? 4:unhealthyPodEvictionPolicy:s?',
  'policy.PodDisruptionBudgetStatus':
    '1:observedGeneration:i 2:disruptedPods:time# 3:disruptionsAllowed:i! 4:currentHealthy:i! 5:desiredHealthy:i! 6:expectedPods:i! 7:conditions:meta.Condition*',
  'rbac.AggregationRule': '1:clusterRoleSelectors:meta.LabelSelector*',
  'rbac.ClusterRole': '1:metadata:meta.ObjectMeta 2:rules:rbac.PolicyRule*! 3:aggregationRule:rbac.AggregationRule?',
  'rbac.ClusterRoleBinding': '1:metadata:meta.ObjectMeta 2:subjects:rbac.Subject* 3:roleRef:rbac.RoleRef!',
  'rbac.PolicyRule': '1:verbs:s*! 2:apiGroups:s* 3:resources:s* 4:resourceNames:s* 5:nonResourceURLs:s*',
  'rbac.Role': '1:metadata:meta.ObjectMeta 2:rules:rbac.PolicyRule*!',
  'rbac.RoleBinding': '1:metadata:meta.ObjectMeta 2:subjects:rbac.Subject* 3:roleRef:rbac.RoleRef!',
  'rbac.RoleRef': '1:apiGroup:s! 2:kind:s! 3:name:s!',
  'rbac.Subject': '1:kind:s! 2:apiGroup:s 3:name:s! 4:namespace:s',
  'scheduling.PriorityClass': '1:metadata:meta.ObjectMeta 2:value:i! 3:globalDefault:b 4:description:s 5:preemptionPolicy:s?',
  'storage.CSIDriver': '1:metadata:meta.ObjectMeta 2:spec:storage.CSIDriverSpec!',
  'storage.CSIDriverSpec':
    '1:attachRequired:b? 2:podInfoOnMount:b? 3:volumeLifecycleModes:s* 4:storageCapacity:b? 5:fsGroupPolicy:s? 6:tokenRequests:storage.TokenRequest* 7:requiresRepublish:b? 8:seLinuxMount:b? 9:nodeAllocatableUpdatePeriodSeconds:i?',
  'storage.CSINode': '1:metadata:meta.ObjectMeta 2:spec:storage.CSINodeSpec!',
  'storage.CSINodeDriver': '1:name:s! 2:nodeID:s! 3:topologyKeys:s*! 4:allocatable:storage.VolumeNodeResources?',
  'storage.CSINodeSpec': '1:drivers:storage.CSINodeDriver*!',
  'storage.CSIStorageCapacity':
    '1:metadata:meta.ObjectMeta 2:nodeTopology:meta.LabelSelector? 3:storageClassName:s! 4:capacity:quantity? 5:maximumVolumeSize:quantity?',
  'storage.StorageClass':
    '1:metadata:meta.ObjectMeta 2:provisioner:s! 3:parameters:s# 4:reclaimPolicy:s? 5:mountOptions:s* 6:allowVolumeExpansion:b? 7:volumeBindingMode:s? 8:allowedTopologies:core.TopologySelectorTerm*',
  'storage.TokenRequest': '1:audience:s! 2:expirationSeconds:i?',
  'storage.VolumeAttachment': '1:metadata:meta.ObjectMeta 2:spec:storage.VolumeAttachmentSpec! 3:status:storage.VolumeAttachmentStatus',
  'storage.VolumeAttachmentSource': '1:persistentVolumeName:s? 2:inlineVolumeSpec:core.PersistentVolumeSpec?',
  'storage.VolumeAttachmentSpec': '1:attacher:s! 2:source:storage.VolumeAttachmentSource! 3:nodeName:s!',
  'storage.VolumeAttachmentStatus':
    '1:attached:b! 2:attachmentMetadata:s# 3:attachError:storage.VolumeError? 4:detachError:storage.VolumeError?',
  'storage.VolumeError': '1:time:time 2:message:s 3:errorCode:i?',
  'storage.VolumeNodeResources': '1:count:i?',
}
