-- Asks countersign-gate (--for forwarded) about each request.
local gate = "http://127.0.0.1:9180/"

core.register_action("countersign_gate", { "http-req" }, function(txn)
    local credentials = txn.f:req_fhdr("authorization")
    local question = {
        ["x-forwarded-method"] = { txn.sf:method() },
        ["x-forwarded-uri"] = { txn.sf:pathq() },
        ["x-forwarded-for"] = { txn.sf:src() },
        ["x-forwarded-proto"] = { txn.sf:ssl_fc() == 1 and "https" or "http" },
        ["authorization"] = credentials and { credentials },
    }
    local answer = core.httpclient():get{ url = gate, headers = question, timeout = 1000 }
    local function field(name)
        local values = answer.headers and answer.headers[name]
        return values and values[0]
    end
    local user = answer.status == 200 and field("x-remote-user")
    if user and user ~= "" then
        txn:set_var("txn.gate_user", user)
        if field("authentication-info") then
            txn:set_var("txn.gate_info", field("authentication-info"))
        end
        return
    end
    -- No answer is status 0, and a 200 without a user is not of the gate.
    local reply = txn:reply{ status = answer.status > 200 and answer.status or 503 }
    for _, name in ipairs({ "www-authenticate", "retry-after" }) do
        local values = answer.headers and answer.headers[name]
        if values then
            for i = 0, #values do
                reply:add_header(name, values[i])
            end
        end
    end
    txn:done(reply)
end)
