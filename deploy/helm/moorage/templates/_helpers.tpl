{{- define "moorage.labels" -}}
app.kubernetes.io/name: moorage
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
