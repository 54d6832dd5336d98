{{- define "catalog-graph.labels" -}}
app.kubernetes.io/name: catalog-graph
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "catalog-graph.selector" -}}
app.kubernetes.io/name: catalog-graph
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "catalog-graph.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* The environment of a component: the secret, the variables of the chart, then those of the values, which may override them. */}}
{{- define "catalog-graph.env" -}}
{{- $root := .root -}}
{{- $release := $root.Release.Name -}}
{{- $env := dict "HOST" "0.0.0.0" -}}
{{- if $root.Values.authorities }}{{ $_ := set $env "NODE_EXTRA_CA_CERTS" "/etc/authorities/ca.crt" }}{{ end -}}
{{- if $root.Values.publicUrl }}{{ $_ := set $env "PUBLIC_URL" $root.Values.publicUrl }}{{ end -}}
{{- if and $root.Values.metrics.enabled (ne .component "migration") }}{{ $_ := set $env "METRICS_PORT" (toString $root.Values.metrics.port) }}{{ end -}}
{{- if eq .component "gateway" -}}
{{- $_ := set $env "TRUST_PROXY" "true" -}}
{{- $_ := set $env "UPLOAD_BUDGET" (include "catalog-graph.uploadBudget" .tmpSize) -}}
{{- $_ := set $env "CATALOG_URL" (printf "http://%s-catalog:4000" $release) -}}
{{- $_ := set $env "AGENT_URL" (printf "http://%s-agent:4000" $release) -}}
{{- $_ := set $env "SITE_CONTENT_URL" (printf "http://%s-site-content:4000" $release) -}}
{{- if $root.Values.siteHost }}{{ $_ := set $env "SITE_HOST" $root.Values.siteHost }}{{ end -}}
{{- end -}}
{{- if has .component (list "agent" "worker") }}{{ $_ := set $env "GATEWAY_URL" (printf "http://%s-gateway:4000" $release) }}{{ end -}}
{{- if eq .component "worker" -}}
{{- $_ := set $env "HEALTH_PORT" "4000" -}}
{{- $_ := set $env "TEMPORAL_ADDRESS" $root.Values.temporal.address -}}
{{- $_ := set $env "TEMPORAL_NAMESPACE" $root.Values.temporal.namespace -}}
{{- $_ := set $env "TEMPORAL_TLS" (toString $root.Values.temporal.tls) -}}
{{- else if ne .component "migration" -}}
{{- $_ := set $env "PORT" "4000" -}}
{{- $_ := set $env "SHUTDOWN_DELAY" (toString $root.Values.shutdownDelay) -}}
{{- end -}}
{{- range $name, $value := mergeOverwrite $env (deepCopy $root.Values.env) (deepCopy (.env | default dict)) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Three quarters of the volume for forms, in bytes: Kubernetes evicts a pod that fills its volume. */}}
{{- define "catalog-graph.uploadBudget" -}}
{{- $unit := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 -}}
{{- div (mul 3 (regexFind "^[0-9]+" .) (get $unit (regexFind "[A-Za-z]*$" .))) 4 -}}
{{- end }}

{{- define "catalog-graph.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "catalog-graph.containerSecurity" -}}
image: {{ include "catalog-graph.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "catalog-graph.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.authorities }}
- { name: authorities, mountPath: /etc/authorities, readOnly: true }
{{- end }}
{{- end }}

{{- define "catalog-graph.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .tmpSize }} }
{{- with .root.Values.authorities }}
- name: authorities
  configMap: { name: {{ . }} }
{{- end }}
{{- end }}
